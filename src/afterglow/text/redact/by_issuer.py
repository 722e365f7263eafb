"""Tokens without a shape of their own, known by whose they are: `adafruit_key = "..."`.

A table of issuer, words that name it, and what its values look like: an alphabet and a length. The word, at most a few
more, an assignment, and a value of exactly that form make a hit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from afterglow.text.redact.randomness import dull, entropy, words_share
from afterglow.text.redact.rule import SHAPED, Decide, Rule, Span
from afterglow.text.redact.token_formats import UUID

ALPHABETS = {
    "hex": "[a-f0-9]",
    "an": "[a-z0-9]",
    "id": "[a-z0-9_-]",
    "b64": "[a-z0-9+/=_-]",
    "digit": "[0-9]",
}

TABLE = """
ably-key            ably                          id20
adafruit-key        adafruit                      id32
adobe-client-id     adobe                         hex32
airtable-key        airtable                      an17
alchemy-key         alchemy                       id32
algolia-key         algolia                       an32
amplitude-key       amplitude                     hex32
asana-secret        asana                         an32
assemblyai-key      assemblyai                    hex32
atlassian-token     atlassian|confluence|jira     an24
auth0-secret        auth0                         id64
azure-key           azure                         hex32|an84|id52
beamer-token        beamer                        id46
bitbucket-secret    bitbucket                     an32|id64
bittrex-key         bittrex                       an32
browserstack-key    browserstack                  an20
cloudflare-key      cloudflare                    id40|hex37
codecov-token       codecov                       an32|uuid
cohere-key          cohere|co_api_key             an40
coinbase-token      coinbase                      id64
confluent-secret    confluent                     an64|an16
contentful-token    contentful                    id43
datadog-key         datadog|dd_api|dd_app         an40|hex32
deepgram-key        deepgram                      hex40
discord-secret      discord                       id32|hex64
dockerhub-token     dockerhub                     uuid
droneci-token       droneci                       an32
dropbox-secret      dropbox                       an15
etherscan-key       etherscan                     an34
etsy-token          etsy                          an24
facebook-secret     facebook                      hex32
fastly-token        fastly                        id32
finicity-token      finicity                      hex32|an20
finnhub-token       finnhub                       an20
flickr-token        flickr                        an32
freshbooks-token    freshbooks                    an64
gitter-token        gitter                        id40
gocardless-token    gocardless                    id47
heroku-key          heroku                        uuid
hetzner-token       hetzner|hcloud                an64
ibm-cloud-key       ibm_cloud|ibm-cloud|ibmcloud|cloud_iam|cloud-iam|bluemix id44
infura-key          infura                        hex32
intercom-token      intercom                      id60
jfrog-key           jfrog|artifactory|xray        an73|an64
kraken-token        kraken                        b6488
kucoin-key          kucoin                        hex24|uuid
launchdarkly-token  launchdarkly                  id40
linear-secret       linear                        hex32
linkedin-secret     linkedin                      an14|an16
linode-token        linode                        hex64
looker-secret       looker                        an24|an20
mailchimp-key       mailchimp                     hex32
mailgun-key         mailgun                       hex32
mattermost-token    mattermost                    an26
meraki-key          meraki                        hex40
messagebird-token   messagebird|message_bird      an25|uuid
mistral-key         mistral                       an32
mixpanel-secret     mixpanel                      hex32
netlify-token       netlify                       id40|id43|id44|id45|id46
newrelic-key        newrelic|new_relic|new-relic  an64
nytimes-token       nytimes|newyorktimes          id32
openweather-key     openweather                   hex32
opsgenie-key        opsgenie                      uuid
pagerduty-key       pagerduty                     id20|an32
plaid-secret        plaid                         an24|an30
privateai-token     privateai|private_ai          an32
pusher-secret       pusher                        hex20
rapidapi-token      rapidapi                      id50
sauce-key           sauce                         uuid
sendbird-token      sendbird                      hex40|uuid
sentry-token        sentry                        hex64
shodan-key          shodan                        an32
sidekiq-secret      bundle_enterprise__|bundle_gems__ [a-f0-9]{8}:[a-f0-9]{8}
snyk-token          snyk                          uuid
softlayer-key       softlayer|sl_api              an64
sourcegraph-token   sourcegraph                   hex40
squarespace-token   squarespace                   uuid
sumologic-id        sumologic|sumo_               su[a-z0-9]{12}
sumologic-key       sumologic|sumo_               an64
travisci-token      travis                        an22
trello-token        trello                        an32|hex64
twilio-secret       twilio                        hex32
twitch-token        twitch                        an30
twitter-token       twitter                       an25|an50|[0-9]{15,25}-[a-z0-9]{20,40}|an45
vercel-token        vercel                        an24
virustotal-key      virustotal                    hex64
wandb-key           wandb|wandb_api               hex40
zendesk-key         zendesk                       an40
cloudant-key        cloudant|cl_                  hex64|an24
okta-token          okta                          00[a-z0-9_=-]{40}
"""

_TO_VALUE = (
    r"""[ \t\w.-]{0,24}["'`\s\]\\]{0,4}(?:=>|:{1,3}=|\?=|\|\||=|>|:|,)["'`\s=\\]{0,6}"""
)
_WORDS = 0.5  # of a value may read like words; more, and it is a name


def _form(written: str) -> str:
    return "|".join(map(_pattern, written.split("|")))


def _pattern(form: str) -> str:
    if form == "uuid":
        return UUID
    simple = re.fullmatch(r"(hex|an|id|b64|digit)(\d+)", form)
    if not simple:
        return form
    alphabet, length = simple.groups()
    return f"{ALPHABETS[alphabet]}{{{length}}}"


def _decide(word: str, form: str) -> Decide:
    compiled: list[re.Pattern[str]] = []

    def decide(text: str, point: int) -> Iterator[Span]:
        start = point - len(word)
        if start and text[start - 1].isalnum() and not _new_word(text, start):
            return
        if not compiled:
            compiled.append(
                re.compile(
                    rf"{_TO_VALUE}({form})(?![\w+/=-])", re.ASCII | re.IGNORECASE
                )
            )
        match = compiled[0].match(text, point)
        if match and _issued(match[1]):
            yield match.span(1)

    return decide


def _new_word(text: str, start: int) -> bool:
    """`myEtsyKey` and `\\netsy` speak of Etsy, `setSystem` does not."""
    before = text[start - 1]
    if before.islower() and text[start].isupper():
        return True
    return before in "nrt" and text[start - 2 : start - 1] == "\\"


def _issued(value: str) -> bool:
    if not any(map(str.isdigit, value)) or dull(value):
        return False
    return entropy(value) >= 2.8 and words_share(value) < _WORDS


def rules() -> Iterator[Rule]:
    for line in TABLE.strip().splitlines():
        name, words, form = line.split()
        for word in words.split("|"):
            yield Rule(
                name, "secret", SHAPED, word, (word,), _decide(word, _form(form))
            )
