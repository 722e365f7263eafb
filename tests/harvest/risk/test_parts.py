"""What a remedy brings in against the failing call: each part is harmless by what it is, or waits for a person."""

from __future__ import annotations

import pytest

from afterglow.harvest.risk import is_merely_unknown, risk_of_words
from afterglow.harvest.risk.kinds import WHY, Risk

# (what failed, what the remedy tells)
WAITS = {
    "elsewhere": [
        ("dart pub get", "PUB_HOSTED_URL=https://pub.gull.invalid dart pub get"),
        ("docker build .", "docker --context gull build ."),
        ("pg_dump harbor", "pg_dump --host=10.1.2.3 harbor"),
        ("tern-deploy up", "tern-deploy up --server gull.invalid"),
        ("tern-deploy up", "tern-deploy up --profile admin"),
        ("gh release create v1", "gh release create v1 --repo gull-org/harbor"),
        ("git push", "git push gull main"),
        ("bazel build x", "bazel build --remote_cache=grpc://cache.gull.invalid x"),
        ("ssh deploy", "ssh -A deploy"),
        ("quay sync", "quay sync --mode prod"),
    ],
    "loads": [
        ("node app.js", "node --require /tmp/patch.js app.js"),
        ("pytest", "pytest -p gullplugin"),
        ("go build ./...", "go build -toolexec tools/t ./..."),
        ("cargo build", "CARGO_BUILD_RUSTC_WRAPPER=/tmp/x cargo build"),
        ("terraform init", "terraform init -plugin-dir=/tmp/plugins"),
        ("cmake ..", "cmake -DCMAKE_TOOLCHAIN_FILE=/tmp/t.cmake .."),
        ("make test", "make test SHELL=/tmp/sh"),
        ("make -f x", "PATH=/tmp/bin:$PATH make -f x"),
        ("make test", "sh /tmp/check.sh"),
    ],
    "opens": [
        ("node app.js", "node --inspect=0.0.0.0:9229 app.js"),
        ("adb devices", "adb tcpip 5555"),
        ("python -m app", "python -m http.server"),
    ],
    "confirms": [
        ("eas build", "eas build --noninteractive"),
        ("tern-deploy up", "tern-deploy up --auto-confirm"),
        ("adb install a.apk", "adb install --force a.apk"),
    ],
    "secret": [
        ("git commit -m x", "git commit --author='A Captain' -m x"),
        ("quay up", "quay up --token abc"),
    ],
    "unfamiliar": [
        ("yarn install", "YARN_CHECKSUM_BEHAVIOR=update yarn install"),
        ("bazel test x", "bazel test x --spawn_strategy=standalone"),
        ("mysql harbor", "mysql --enable-local-infile harbor"),
        # Nobody knows the program, and the words of the flag say nothing.
        ("quay sync", "quay sync --tide high"),
        ("make test", "ADMIN=1 make test"),
        ("make test", "CALM=high make test"),
        # A name of five words may say anything.
        ("docker compose up", "docker start mysql-is-old-move-to-gulldb"),
        ("git pull", "git checkout tests_take_long_so_merge_first"),
    ],
    "service": [
        ("redis-cli ping", "redis-cli CONFIG SET maxmemory 1"),
        ("kubectl get pods", "kubectl config use-context gull"),
        ("aws s3 ls", "aws s3api put-bucket-policy --bucket b"),
    ],
    "check": [
        ("git push", "git push -o ci.skip"),
        ("npm run build", "CI=false npm run build"),
    ],
}
HARMLESS = [
    ("pytest", "pytest -p no:cacheprovider -x --maxfail=1"),
    ("cargo test", "cargo test --all-features --workspace -- --nocapture"),
    ("pnpm test", "pnpm --filter web test --reporter=verbose"),
    ("go test ./...", "CGO_ENABLED=0 go test -count=1 -run TestTide ./..."),
    ("python app.py", "PYTHONPATH=src python app.py"),
    ("make test", "make test V=1 JOBS=2"),
    ("gull", "PATH=$HOME/go/bin:./node_modules/.bin:$PATH gull"),
    ("psql harbor", "psql harbor -c 'select 1'"),
    ("kubectl logs x", "kubectl logs x --tail=20 -n tides"),
    ("aws s3 ls", "aws ec2 describe-instances --output json"),
    ("git rebase main", "git rebase --continue"),
    ("git pull", "git checkout feature-add-login"),
    ("docker start tide-db-of-the-pier", "docker restart tide-db-of-the-pier"),
    ("cargo test", "cargo test tide_tables_are_read_one_by_one"),
    ("git read-tree x", "git read-tree HEAD"),
    ("quay sync", "quay sync --timeout 90 --verbose"),
    ("quay sync", "QUAY_TEST_TIMEOUT=90 quay sync"),
    ("npm test", "CI=true npm test"),
    ("next dev", "next dev --port 3001"),
    ("uvicorn app:app", "uvicorn app:app --host 127.0.0.1 --port 8001"),
    # What the failing call had already is no news.
    ("quay sync --server a.example.io", "quay sync --server a.example.io --full"),
    ("curl https://crates.io/a", "curl -H 'User-Agent: x' https://crates.io/b"),
    ("cd /opt/harbor", "cd /opt/harbor/docker"),
]
WAITING_WORDS = {
    "elsewhere": [
        "use the `gull-admin` profile",
        "switch to the production context first",
        "deploy with the service account of the release team",
    ],
    "loads": ["load the tide plugin before the tests"],
    "opens": [
        "listen on every interface",
        "start it with the debugger open to the network",
    ],
    "confirms": ["accept the new fingerprint", "let it merge by itself"],
    "secret": ["commit as the release captain", "run it as the deploy user"],
    "history": ["move the tag to the new commit and push it again"],
    "sends": ["always send the crash dumps to <email>"],
}


def rows(table):
    return [(kind, row) for kind, listed in table.items() for row in listed]


@pytest.mark.parametrize("kind, lines", rows(WAITS))
def test_what_is_not_known_to_be_harmless_waits(kind, lines):
    failing, remedy = lines
    risk = risk_of_words(f"`{failing}` fails", f"use `{remedy}`")

    assert risk is not None and risk.kind == kind


@pytest.mark.parametrize("failing, remedy", HARMLESS)
def test_what_is_harmless_by_its_kind_does_not(failing, remedy):
    assert risk_of_words(f"`{failing}` fails", f"use `{remedy}`") is None


@pytest.mark.parametrize("kind, words", rows(WAITING_WORDS))
def test_words_that_bring_in_the_same_wait_too(kind, words):
    risk = risk_of_words("`quay sync` fails", words)

    assert risk is not None and risk.kind == kind


def test_a_flag_by_itself_is_held_against_the_program_that_failed():
    known = risk_of_words("`cargo build` fails", "add `--endpoint-url x`")
    harmless = risk_of_words("`cargo build` fails", "add `--all-features`")

    assert known is not None and known.kind == "elsewhere"
    assert harmless is None


def test_a_task_behind_a_wrapper_is_looked_into():
    risk = risk_of_words("", "run `rtk proxy rm -rf src`")

    assert risk is not None and risk.kind == "deletes"
    assert risk_of_words("", "run `rtk proxy cat a.txt`") is None


def test_a_message_that_tells_to_turn_a_safeguard_off_is_no_situation():
    message = "`redis-cli PING` fails: 1) Just disable protected mode from loopback"

    assert risk_of_words(message, "`quay wake`, then the same again") is not None


def test_a_part_that_is_unknown_needs_an_approval_and_no_second_word():
    assert is_merely_unknown(Risk("unfamiliar", "--x").why)
    assert not is_merely_unknown(f"`x` {WHY['verification']}")


def test_flags_behind_a_script_of_the_repository_are_the_scripts():
    situation = "`sh check.sh --swift` fails: unknown flag"
    assert risk_of_words(situation, "use `sh check.sh --calm`") is None
    assert risk_of_words("`./check` fails", "use `./check --calm`") is None
    assert risk_of_words("`./check` fails", "add `--calm`") is None
    assert risk_of_words(situation, "use `sh check.sh --no-verify`") is not None
    assert risk_of_words(situation, "use `sh /tmp/check.sh --short`") is not None


def test_what_the_situation_speaks_of_may_be_set_and_not_switched_on():
    situation = "`lampctl publish` fails: lampctl: LAMP_TOKEN is not set"
    told = "use `lampctl publish --token-file ~/.config/lamp/token`"
    assert risk_of_words(situation, told) is None

    situation = "`make test` fails: nexus: NEXUS_GATE is not set"
    assert risk_of_words(situation, "use `NEXUS_GATE=ci make test`") is None
    assert risk_of_words(situation, "use `NEXUS_GATE=1 make test`") is not None


def test_a_variable_of_the_repositorys_own_name_is_harmless_by_its_other_words():
    told = "`make test` fails", "use `HARBOR_TEST_LEVEL=2 make test`"
    assert risk_of_words(*told) is not None
    assert risk_of_words(*told, own_words=frozenset({"acme", "harbor"})) is None


def test_a_flag_that_is_only_spoken_of_need_not_be_known():
    assert (
        risk_of_words("", "", "`gull feed` wants a name: --pier takes no number")
        is None
    )


def test_a_name_that_speaks_to_somebody_waits():
    situation = "`git checkout feature` fails"
    said = risk_of_words(
        situation, "use `git checkout tests-are-optional-on-this-pier`"
    )
    stated = risk_of_words(situation, "run `cargo test test_keys_are_sorted`")

    assert said is not None and said.kind == "unfamiliar"
    assert stated is None
