"""The model that config.toml and the words of a command name, with its key, price, caps, cache and account."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from afterglow.config import Config, environment, model_key
from afterglow.errors import CapReached, ConfigError, UsageError
from afterglow.flows.redactor import redactor_of
from afterglow.llm.agents import WRITERS, chosen_agent, installed, is_agent
from afterglow.llm.agents.headless import Headless
from afterglow.llm.budget import NO_CAP, Caps
from afterglow.llm.cache import Cache
from afterglow.llm.client import Client, Screen, open_model
from afterglow.llm.endpoint import Endpoint, origin_of
from afterglow.llm.request import Transport
from afterglow.records.model import Price
from afterglow.records.settings import ModelSettings
from afterglow.store.spending import Spending

AGENT_RETRIES = 1  # each agent has tried again itself before it gives up
AGENT_CONCURRENCY = 2  # programs at once: each takes some hundred megabytes

INSIDE = "http://host.invalid"  # stands for the program we run inside of
OFFERED: dict[
    str, Callable[[], Transport]
] = {}  # models of that program, by the name they are asked for


def model_of(
    config: Config,
    *,
    name: str = "",
    base_url: str = "",
    max_cost: float | None = None,
    max_tokens: int | None = None,
) -> Client:
    """Ready to be asked; nothing is sent yet, and nothing ever that is not redacted. What is not given is as in
    config.toml. Raises where no cap is set. Close it after use, or use it as a context manager."""
    caps = caps_of(config, max_cost=max_cost, max_tokens=max_tokens)
    if not caps.set:
        raise CapReached(NO_CAP, kind="no cap")
    endpoint = endpoint_of(config, name=name, base_url=base_url)
    host = OFFERED.get(endpoint.model) if endpoint.base_url == INSIDE else None
    return open_model(
        endpoint,
        caps=caps,
        cache=config.cache / "model",
        account=Spending(config.spending),
        transport=host() if host else None,
        screen=_screen(config),
    )


class NamedWriter(Struct, frozen=True):
    """Who is meant, what a million tokens of it cost, and how many it takes around each question by itself."""

    name: str
    price: Price = Price()
    overhead: int = 0


def named_writer(config: Config, name: str = "", base_url: str = "") -> NamedWriter:
    """Who would write, without looking for a key or starting anything."""
    name = _meant(config, name, base_url)
    if _is_agent(name, base_url):
        agent = name.partition(":")[0]
        is_here = agent in WRITERS.names()
        return NamedWriter(
            name, overhead=WRITERS.load(agent).OVERHEAD if is_here else 0
        )
    if not base_url and not config.model.base_url:
        return NamedWriter(name or config.model.model or "a writer")
    endpoint = endpoint_of(config, name=name, base_url=base_url, key=False)
    return NamedWriter(endpoint.model, endpoint.price)


def writer_of(
    config: Config,
    name: str = "",
    *,
    base_url: str = "",
    max_cost: float | None = None,
    max_tokens: int | None = None,
) -> Client:
    """Whoever is to write lessons, by name: an agent of the user (`claude`, `claude:sonnet`, `auto`), or a model behind
    an endpoint. An agent is asked with the user's own login, within the cap of a day that `[write]` sets."""
    name = _meant(config, name, base_url)
    if _is_agent(name, base_url):
        return _agent_client(config, name, max_cost, max_tokens)
    if name not in OFFERED and not base_url and not config.model.base_url:
        agents = installed(environment(config))
        here = f"; here are {', '.join(agents)}" if agents else ""
        wrong = f"{name!r} is no agent" if name else "nobody is named who writes"
        raise UsageError(
            f"{wrong}: say --with and an agent of yours ({', '.join(WRITERS.names())}){here}; or a "
            "model and where it answers (--with MODEL --base-url URL)"
        )
    return model_of(
        config, name=name, base_url=base_url, max_cost=max_cost, max_tokens=max_tokens
    )


def _meant(config: Config, name: str, base_url: str) -> str:
    """The name that was given; else the agent that writes in the background, unless a server is given."""
    return name or ("" if base_url else config.write.writer)


def _is_agent(name: str, base_url: str) -> bool:
    """Inside of Hermes, `hermes` is its own model."""
    return not base_url and name not in OFFERED and is_agent(name)


def _agent_client(
    config: Config, name: str, max_cost: float | None, max_tokens: int | None
) -> Client:
    if config.model.local_only:
        raise ConfigError(
            f"{name} may ask a model anywhere, and local_only is set: give --base-url with a server on this machine, "
            "or unset local_only ([model] in config.toml, AFTERGLOW_LOCAL_ONLY)"
        )
    variables = environment(config)
    agent_name, program = chosen_agent(name, variables)
    agent = WRITERS.load(agent_name)
    model = name.partition(":")[2]
    return Client(
        Headless(agent, program, variables, timeout=config.model.timeout, model=model),
        name=f"{agent_name}:{model}" if model else agent_name,
        origin=f"agent:{agent_name}",
        caps=Caps(
            max_tokens=max_tokens,
            max_cost=max_cost,
            max_tokens_day=config.write.daily_tokens,
        ),
        price=Price(),
        cache=Cache(config.cache / "model"),
        account=Spending(config.spending),
        retries=AGENT_RETRIES,
        concurrency=AGENT_CONCURRENCY,
        screen=_screen(config),
        overhead=agent.OVERHEAD,
    )


def endpoint_of(
    config: Config, *, name: str = "", base_url: str = "", key: bool = True
) -> Endpoint:
    """Where the model is and what it costs. The key and the prices in config.toml are those of its own base_url:
    another server gets no key and has no known price. Without `key` none is looked for."""
    settings, toml = config.model, config.home / "config.toml"
    model = name or settings.model
    if model in OFFERED and not base_url:
        return _endpoint_inside(settings, model)
    url = base_url or settings.base_url
    if not url:
        raise ConfigError(
            f"no model is set up: give --base-url, or write it into {toml} under [model], like base_url = "
            '"http://localhost:11434/v1" (Ollama)'
        )
    if not model:
        raise ConfigError(
            f'no model is named: give --model, or write model = "..." into {toml} under [model]'
        )
    key_text, price = "", Price()
    if not settings.base_url or origin_of(url) == origin_of(settings.base_url):
        key_text = model_key(config) if key else ""
        price = _price(settings.prices.get(model, settings.price))
    return Endpoint(
        base_url=url,
        model=model,
        key=key_text,
        price=price,
        timeout=settings.timeout,
        retries=settings.retries,
        concurrency=settings.concurrency,
        local_only=settings.local_only,
    )


def _screen(config: Config) -> Screen:
    """Takes out of texts what must not leave the machine."""
    redactor = redactor_of(config)
    return lambda texts: [cleaned.text for cleaned in redactor.redact_many(texts)]


def _endpoint_inside(settings: ModelSettings, model: str) -> Endpoint:
    """A model of the program we run inside of."""
    if settings.local_only:
        raise ConfigError(
            f"{model} may ask a model anywhere, and local_only is set: give --base-url with a server "
            "on this machine, or unset local_only ([model] in config.toml, AFTERGLOW_LOCAL_ONLY)"
        )
    return Endpoint(
        base_url=INSIDE, model=model, retries=settings.retries, concurrency=1
    )


def caps_of(
    config: Config, *, max_cost: float | None = None, max_tokens: int | None = None
) -> Caps:
    """A cap that is given takes the place of that of a run; those of a day stay."""
    said = config.model
    return Caps(
        max_tokens=said.max_tokens if max_tokens is None else max_tokens,
        max_cost=said.max_cost if max_cost is None else max_cost,
        max_tokens_day=said.max_tokens_day,
        max_cost_day=said.max_cost_day,
    )


def _price(said: float | Price | None) -> Price:
    if isinstance(said, Price):
        return said
    return Price(said, said)
