"""Tokens known by their own shape: a table of issuer and pattern, written from the formats the issuers publish.

Most are a fixed prefix, an alphabet and a length. A pattern begins with the literal that is looked for; `i:` ignores
case; `~` hides even masked values (hiding `AKCxxxx` costs nothing, and their shape says nothing else).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from afterglow.text.redact.randomness import dull, words_share
from afterglow.text.redact.rule import SHAPED, Decide, Rule, Span

UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

TABLE = r"""
1password-secret-key      A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}
1password-service-token   ops_eyJ[A-Za-z0-9+/_-]{200,2000}={0,3}
adobe-client-secret       i:p8e-[a-z0-9]{32}
age-secret-key            AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}
airtable-token            pat[A-Za-z0-9]{14}\.[a-f0-9]{64}
alibaba-access-key        LTAI[A-Za-z0-9]{17,30}
anthropic-key             sk-ant-api03-[\w-]{93}AA
anthropic-admin-key       sk-ant-admin01-[\w-]{93}AA
anthropic-key             sk-ant-api03-[\w-]{80}AA
anthropic-session         sk-ant-sid[\w-]{80,300}
anthropic-oauth           sk-ant-oat[\w-]{80,300}
anthropic-oauth           sk-ant-ort[\w-]{80,300}
apify-token               apify_api_[A-Za-z0-9]{36}
artifactory-key           ~AKC[a-zA-Z0-9]{10,200}(?<!XXXXXX)
artifactory-reference     cmVmd[A-Za-z0-9]{59}
atlassian-token           ATATT3[A-Za-z0-9_=-]{186}
atlassian-token           ATCTT3[A-Za-z0-9_=-]{180,200}
bitbucket-app-password    ATBB[A-Za-z0-9]{32}
authress-key              i:sc_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[a-z0-9+/_=-]{30,120}
authress-key              i:authress_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[a-z0-9+/_=-]{30,120}
aws-access-key            ~AKIA[A-Z0-9]{16}(?<!EXAMPLE)(?<!XXXXXX)
aws-access-key            ~ASIA[A-Z0-9]{16}(?<!EXAMPLE)(?<!XXXXXX)
aws-access-key            ~ABIA[A-Z0-9]{16}(?<!EXAMPLE)(?<!XXXXXX)
aws-access-key            ~ACCA[A-Z0-9]{16}(?<!EXAMPLE)(?<!XXXXXX)
aws-access-key            ~A3T[A-Z0-9]{17}(?<!XXXXXX)
aws-bedrock-key           ~ABSK[A-Za-z0-9+/]{109,269}={0,2}
aws-bedrock-session       bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t[A-Za-z0-9+/=]{0,2000}
aws-mws-token             amzn\.mws\.UUID
aws-signature             i:X-Amz-Signature=[a-f0-9]{64}
aws-session-token         i:X-Amz-Security-Token=[A-Za-z0-9%+/=]{60,2000}
azure-sas-signature       i:&sig=[A-Za-z0-9%]{43,80}
braintree-token           access_token\$production\$[a-z0-9]{16}\$[a-f0-9]{32}
buildkite-token           bkua_[a-f0-9]{40}
cerebras-key              csk-[a-z0-9]{48}
circleci-token            CCIPAT_[A-Za-z0-9]{22}_[a-f0-9]{40}
clickhouse-key            4b1d[A-Za-z0-9]{38}
clojars-token             i:CLOJARS_[a-z0-9]{60}
cloudflare-origin-key     v1\.0-[a-f0-9]{24}-[a-f0-9]{146}
cloudinary-url            cloudinary://\d{10,20}:[\w-]{20,40}
contentful-token          CFPAT-[\w-]{43}
crates-token              cio[A-Za-z0-9]{32}
databricks-token          dapi[a-f0-9]{32}(?:-\d)?
defined-networking-token  dnkey-[a-z0-9=_-]{26}-[a-z0-9=_-]{52}
digitalocean-token        dop_v1_[a-f0-9]{64}
digitalocean-token        doo_v1_[a-f0-9]{64}
digitalocean-token        dor_v1_[a-f0-9]{64}
docker-token              dckr_pat_[\w-]{27}
docker-token              dckr_oat_[\w-]{32}
doppler-token             i:dp\.pt\.[a-z0-9]{40,44}
doppler-token             i:dp\.st\.(?:[\w-]{2,35}\.)?[a-z0-9]{40,44}
doppler-token             i:dp\.ct\.[a-z0-9]{40,44}
doppler-token             i:dp\.sa\.[a-z0-9]{40,44}
dropbox-token             sl\.[\w-]{130,300}
duffel-token              i:duffel_test_[a-z0-9_=-]{43}
duffel-token              i:duffel_live_[a-z0-9_=-]{43}
dynatrace-token           i:dt0c01\.[a-z0-9]{24}\.[a-z0-9]{64}
easypost-key              EZAK[A-Za-z0-9]{54}
easypost-key              EZTK[A-Za-z0-9]{54}
elevenlabs-key            sk_[a-f0-9]{48}
endorlabs-key             endr\+[A-Za-z0-9-]{16}
facebook-page-token       EAAM[A-Za-z0-9]{100,400}
facebook-page-token       EAAC[A-Za-z0-9]{100,400}
figma-token               figd_[\w-]{38,45}
firecrawl-key             fc-[a-f0-9]{32}
flutterwave-key           FLWSECK_TEST-[a-h0-9]{32}-X
flutterwave-key           FLWSECK-[a-h0-9]{32}-X
flutterwave-key           FLWPUBK_TEST-[a-h0-9]{32}-X
flutterwave-key           FLWSECK_TEST[a-h0-9]{12}
flyio-token               fo1_[\w-]{43}
flyio-token               fm1[ar]_[A-Za-z0-9+/]{100,2000}={0,3}
flyio-token               fm2_[A-Za-z0-9+/]{100,2000}={0,3}
frameio-token             i:fio-u-[a-z0-9_=-]{64}
freemius-key              sk_(?=\S{0,28}[#&@*$!^%])[^\s"'<>]{29}
gcp-api-key               AIza[\w-]{35}
github-app-token          ghu_[A-Za-z0-9]{36}
github-app-token          ghs_[A-Za-z0-9]{36}
github-fine-grained-pat   github_pat_[A-Za-z0-9_]{82}
github-oauth              gho_[A-Za-z0-9]{36}
github-token              ghp_[A-Za-z0-9]{36}
github-refresh-token      ghr_[A-Za-z0-9]{36,76}
gitlab-agent-token        glagent-[\w-]{50,1024}
gitlab-ci-job-token       glcbt-[\w-]{20,50}
gitlab-deploy-token       gldt-[\w-]{20,50}
gitlab-feature-flag-token glffct-[\w-]{20,50}
gitlab-feed-token         glft-[\w-]{20,50}
gitlab-mail-token         glimt-[\w-]{25}
gitlab-agent-token        glwt-[\w-]{20,50}
gitlab-oauth-secret       gloas-[\w-]{64}
gitlab-pat                glpat-[\w-]{20,300}(?:\.[0-9a-z]{2}\.?[0-9a-z]{7})?
gitlab-runner-token       glrt-(?:t\d_)?[\w-]{20,300}(?:\.[0-9a-z]{2}\.?[0-9a-z]{7})?
gitlab-runner-token       glrtr-[\w-]{20,50}
gitlab-runner-token       GR1348941[\w-]{20,50}
gitlab-scim-token         glsoat-[\w-]{20,50}
gitlab-session            _gitlab_session=[0-9a-z]{32}
gitlab-trigger-token      glptt-[\w-]{40}
google-oauth-secret       GOCSPX-[\w-]{28}
google-oauth-token        ya29\.[\w-]{20,1024}
google-refresh-token      1//0[\w-]{40,200}
grafana-key               i:eyJrIjoi[a-z0-9]{70,400}={0,3}
grafana-cloud-token       glc_[A-Za-z0-9+/]{32,400}={0,3}
grafana-service-token     glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}
groq-key                  gsk_[A-Za-z0-9]{52}
harness-key               pat\.[A-Za-z0-9_-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}
harness-key               sat\.[A-Za-z0-9_-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}
heroku-key                HRKU-[\w-]{36,64}
hubspot-token             i:pat-(?:na1|na2|eu1|ap1)-UUID
huggingface-token         hf_[A-Za-z0-9]{34,40}
huggingface-org-token     api_org_[A-Za-z]{34}
infracost-key             (?<![./])ico-[A-Za-z0-9]{32}
intra42-secret            s-s4t2ud-[a-f0-9]{64}
intra42-secret            s-s4t2af-[a-f0-9]{64}
ionic-token               ion_[a-z0-9]{42}
jina-key                  jina_[\w-]{55,65}
langfuse-key              i:sk-lf-UUID
langsmith-key             lsv2_pt_[a-f0-9]{32}_[a-f0-9]{10}
langsmith-key             lsv2_sk_[a-f0-9]{32}_[a-f0-9]{10}
launchdarkly-key          i:sdk-UUID
launchdarkly-key          i:api-UUID
linear-key                i:lin_api_[a-z0-9]{40}
linear-oauth              i:lin_oauth_[a-z0-9]{40,64}
lob-key                   live_[a-f0-9]{35}
lob-key                   test_[a-f0-9]{35}
mailgun-key               key-[a-f0-9]{32}
mapbox-token              sk\.eyJ[\w-]{40,300}\.[\w-]{20,100}
mapbox-token              pk\.[a-z0-9]{60}\.[a-z0-9]{22}
neon-key                  napi_[a-z0-9]{64}
netlify-token             nfp_[A-Za-z0-9]{36}
newrelic-key              NRAK-[A-Za-z0-9]{27}
newrelic-key              NRJS-[a-f0-9]{19}
newrelic-key              NRII-[A-Za-z0-9-]{32}
notion-token              ntn_[0-9]{11}[A-Za-z0-9]{35}
notion-token              secret_[A-Za-z0-9]{43}
npm-token                 i:npm_[a-z0-9]{36}
nuget-key                 oy2[a-z0-9]{43}
nvidia-key                nvapi-[\w-]{60,70}
octopus-key               API-[A-Z0-9]{26}
openai-key                sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}
openai-key                sk-proj-(?=[\w-]{0,150}T3BlbkFJ)[\w-]{40,200}
openai-key                sk-svcacct-(?=[\w-]{0,150}T3BlbkFJ)[\w-]{40,200}
openai-key                sk-admin-(?=[\w-]{0,150}T3BlbkFJ)[\w-]{40,200}
openai-key                sk-proj-[\w-]{74,200}
openai-style-key          sk-[a-f0-9]{32}
openai-style-key          sk-[A-Za-z0-9]{48}
openrouter-key            sk-or-v1-[a-f0-9]{64}
openshift-token           sha256~[\w-]{43}
paystack-key              sk_live_[a-f0-9]{40}
perplexity-key            pplx-[A-Za-z0-9]{48,56}
pinecone-key              pcsk_[A-Za-z0-9_]{60,80}
plaid-token               i:access-(?:sandbox|development|production)-UUID
planetscale-token         i:pscale_tkn_[\w=.-]{32,64}
planetscale-token         i:pscale_oauth_[\w=.-]{32,64}
planetscale-password      i:pscale_pw_[\w=.-]{32,64}
posthog-key               phx_[A-Za-z0-9]{43,48}
postman-key               i:PMAK-[a-f0-9]{24}-[a-f0-9]{34}
prefect-key               pnu_[A-Za-z0-9]{36}
prefect-key               pnb_[A-Za-z0-9]{36}
pulumi-token              pul-[a-f0-9]{40}
pypi-token                pypi-AgEIcHlwaS5vcmc[\w-]{75,1000}
pypi-token                pypi-AgENdGVzdC5weXBpLm9yZw[\w-]{70,1000}
razorpay-key              rzp_live_[A-Za-z0-9]{14}
readme-key                i:rdme_[a-z0-9]{70}
render-key                rnd_[A-Za-z0-9]{28,40}
replicate-token           r8_[A-Za-z0-9]{37}
resend-key                re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}
rubygems-key              rubygems_[a-f0-9]{48}
scaleway-key              SCW[A-Z0-9]{17}
scalingo-token            tk-us-[\w-]{48}
sendgrid-key              SG\.[\w=-]{16,32}\.[\w=-]{32,64}
sendinblue-key            xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}
sentry-token              sntryu_[a-f0-9]{64}
sentry-token              sntrys_eyJ[A-Za-z0-9+/=_-]{60,400}
settlemint-token          sm_(?:aat|pat|sat)_[A-Za-z0-9]{16}
shippo-token              shippo_(?:live|test)_[a-fA-F0-9]{40}
shopify-token             shpat_[a-fA-F0-9]{32}
shopify-token             shpca_[a-fA-F0-9]{32}
shopify-token             shppa_[a-fA-F0-9]{32}
shopify-token             shpss_[a-fA-F0-9]{32}
slack-app-token           i:xapp-\d-[A-Z0-9]{1,40}-\d{1,20}-[a-z0-9]{10,80}
slack-bot-token           xoxb-[0-9]{10,13}-[0-9]{10,13}[a-zA-Z0-9-]{0,80}
slack-bot-token           xoxb-[0-9]{8,14}-[a-zA-Z0-9]{18,26}
slack-config-token        i:xoxe\.xox[bp]-\d-[A-Z0-9]{163,166}
slack-config-token        i:xoxe-\d-[A-Z0-9]{146}
slack-legacy-token        xox[os]-\d{1,14}-\d{1,14}-\d{1,14}-[a-fA-F\d]{10,64}
slack-legacy-token        xox[ar]-(?:\d-)?(?=[0-9a-zA-Z]{0,48}\d)[0-9a-zA-Z]{8,48}
slack-session             xox[cd]-[\w%-]{20,400}
slack-user-token          xox[pe]-(?:[0-9]{10,13}-){3}[a-zA-Z0-9-]{28,34}
sonar-token               squ_[a-z0-9]{40}
sonar-token               sqp_[a-z0-9]{40}
sonar-token               sqa_[a-z0-9]{40}
sourcegraph-token         sgp_(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}
square-token              EAAA[\w-]{60}
square-token              sq0atp-[\w-]{22,60}
square-secret             sq0csp-[\w-]{40,60}
stripe-key                sk_(?:test|live|prod)_[A-Za-z0-9]{10,200}
stripe-key                rk_(?:test|live|prod)_[A-Za-z0-9]{10,200}
stripe-webhook-secret     whsec_[A-Za-z0-9+/=]{32,80}
supabase-key              sbp_[a-f0-9]{40}
supabase-key              sb_secret_[\w-]{25,40}
tailscale-key             tskey-(?:auth-|api-|client-)?[A-Za-z0-9]{8,30}(?:-[A-Za-z0-9]{16,40})?
tavily-key                tvly-(?:dev-|prod-)?[A-Za-z0-9]{32}
tencent-secret-id         AKID[A-Za-z0-9]{32}
twilio-key                ~SK[0-9a-fx]{32}
twilio-account            ~AC[0-9a-fx]{32}
typeform-token            i:tfp_[a-z0-9_.=-]{59}
vault-token               hvs\.[\w-]{24,300}
vault-token               hvb\.[\w-]{24,300}
vault-token               hvr\.[\w-]{24,300}
wandb-key                 wandb_v1_[\w-]{60,120}
xai-key                   xai-[A-Za-z0-9]{70,90}
yandex-token              t1\.[\w-]{1,200}={0,2}\.[\w-]{86}={0,2}
yandex-key                AQVN[\w-]{35,38}
yandex-aws-key            YC[\w-]{38}
discord-webhook           i:discord(?:app)?\.com/api/webhooks/\d{16,20}/[\w-]{60,70}
slack-webhook             i:hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{36,60}
teams-webhook             i:webhook\.office\.com/webhookb2/UUID@UUID/IncomingWebhook/[a-z0-9]{32}/UUID
zapier-webhook            i:hooks\.zapier\.com/hooks/catch/\d{5,10}/[a-z0-9]{5,10}
"""

SHORT = 4
_PROSE = 0.75  # of a shape may read like words: `hf_requiredCharacteristicTypes...` is a name


class _Shape(NamedTuple):
    name: str
    pattern: str
    literal: str
    head: str  # what a scanner looks for: the literal and the first characters after it
    width: int
    caseless: bool
    masked: bool


def _shapes() -> Iterator[_Shape]:
    for line in TABLE.strip().splitlines():
        name, pattern = line.split()
        caseless, masked = pattern.startswith("i:"), pattern.startswith("~")
        pattern = pattern.removeprefix("i:").removeprefix("~").replace("UUID", UUID)
        quoted, follows, least = _literal(pattern)
        literal = quoted.replace("\\", "")
        count = min(int(least or 0), 12)
        head = quoted + (f"{follows}{{{count}}}" if count else "")
        yield _Shape(
            name, pattern, literal, head, len(literal) + count, caseless, masked
        )


def _literal(pattern: str) -> tuple[str, str, str]:
    """The fixed characters a pattern begins with, then the first class and how often it comes at least."""
    body = re.sub(r"^\(\?<![^)]*\)", "", pattern)
    literal = re.match(r"(?:[A-Za-z0-9_/=~&:-]|\\[.$+])+", body)
    assert literal, pattern
    quoted, rest = literal[0], body[literal.end() :]
    if rest[:1] in {"?", "*", "+", "{"}:
        quoted = quoted[:-1]
    follows = re.match(r"(\[(?:[^\]\\]|\\.)+\])\{(\d+)", rest)
    if not follows:
        return quoted, "", ""
    return quoted, follows[1], follows[2]


def _decide(shape: _Shape) -> Decide:
    compiled: list[re.Pattern[str]] = []

    def decide(text: str, point: int) -> Iterator[Span]:
        if not compiled:
            compiled.append(_compiled(shape))
        start = point - shape.width
        match = compiled[0].match(text, start)
        if not match:
            return
        if shape.masked or _issued(match[0], len(shape.literal)):
            yield match.span()

    return decide


def _compiled(shape: _Shape) -> re.Pattern[str]:
    may_end_dashed = re.search(r"\\w-\]\{[\d,]+\}$", shape.pattern)
    if may_end_dashed or shape.name.startswith("gitlab"):
        after = r"(?![\w-])"
    else:
        after = r"(?![A-Za-z0-9])"
    whole = rf"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])){shape.pattern}{after}"
    flags = re.ASCII
    if shape.caseless:
        flags |= re.IGNORECASE
    return re.compile(whole, flags)


def _issued(value: str, prefix: int) -> bool:
    """Not masked, not one case of letters only; after a short prefix, which names may share, not words."""
    body = value[prefix:]
    of_one_case = body.islower() or body.isupper()
    if body.isalpha() and of_one_case:
        return False
    if dull(body):
        return False
    return prefix > SHORT or words_share(body) < _PROSE


def rules() -> Iterator[Rule]:
    for shape in _shapes():
        yield Rule(
            name=shape.name,
            kind="secret",
            rank=SHAPED,
            anchor=shape.head,
            starts=(shape.literal.lower(),),
            decide=_decide(shape),
            caseless=shape.caseless,
        )
