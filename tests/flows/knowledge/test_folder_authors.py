"""Whose change in a folder it is: what git shows of a commit, a signature, a word of the person; the rest is proposed."""

import subprocess

import pytest

from afterglow.config import Config
from afterglow.flows import knowledge as flow
from afterglow.store.knowledge import Knowledge
from keeping import NOW, item, keep, kept

PAGE = "repos/harbor.md"
STRANGER = ("-c", "user.name=Mo", "-c", "user.email=mo@example.net")


def git(folder, *words):
    done = subprocess.run(
        ["git", *words], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


class Checkout:
    """A store and a clone of a repository whose folder it shares with others."""

    def __init__(self, home, root):
        self.config = Config(home=home, user_home=home)
        self.root = root
        self.page = root / "knowledge" / PAGE

    @property
    def folder(self):
        return self.root / "knowledge"

    def sync(self, **options):
        return flow.sync(self.config, self.folder, now=NOW, **options)

    def edit(self, old, new):
        text = self.page.read_text()
        assert old in text
        self.page.write_text(text.replace(old, new))

    def add(self, bullet):
        self.page.write_text(f"{self.page.read_text().rstrip()}\n- {bullet}\n")

    def facts(self, status="active"):
        with Knowledge(self.config.knowledge) as knowledge:
            return {item.fact for item in knowledge.items(status=[status])}


@pytest.fixture
def checkout(tmp_path):
    """Ours, and theirs beside it: both have the same hub."""
    git(tmp_path, "init", "-q", "--bare", "hub.git")
    for name, address in (("ours", "ana@example.org"), ("theirs", "mo@example.net")):
        git(tmp_path, "clone", "-q", "hub.git", name)
        git(tmp_path / name, "config", "user.name", name)
        git(tmp_path / name, "config", "user.email", address)
        git(tmp_path / name, "checkout", "-q", "-B", "main")
    ours = Checkout(tmp_path / "home", tmp_path / "ours")
    keep(ours.config, item(1), item(2))
    flow.export(ours.config, ours.folder)
    git(ours.root, "add", "-A")
    git(ours.root, "commit", "-qm", "knowledge")
    git(ours.root, "push", "-q", "origin", "HEAD:main")
    git(tmp_path / "theirs", "pull", "-q", "origin", "main")
    return ours


@pytest.fixture
def theirs(checkout, tmp_path):
    return Checkout(tmp_path / "their-home", tmp_path / "theirs")


def pulled(checkout, theirs, *settings):
    """What they changed, committed there and pulled here."""
    git(theirs.root, *settings, "commit", "-qam", "words")
    git(theirs.root, "push", "-q", "origin", "HEAD:main")
    git(checkout.root, "pull", "-q", "origin", "main")


def test_a_bullet_that_was_pulled_is_a_candidate_whatever_is_said(checkout, theirs):
    theirs.add("`make dock` needs `make tide` first")
    pulled(checkout, theirs)
    report = checkout.sync(mine=True)
    (proposal,) = report.proposals
    assert "theirs <mo@example.net>, commit" in proposal.by and report.open
    assert proposal.sign == "elsewhere"
    assert checkout.facts("candidate") == {"`make dock` needs `make tide` first"}
    assert kept(checkout.config, proposal.id).trust == "external"
    assert [again.id for again in checkout.sync().proposals] == [proposal.id]


def test_the_name_of_the_person_in_a_pulled_commit_does_not_make_it_theirs(
    checkout, theirs
):
    theirs.add("`make dock` needs `make tide` first")
    ana = ("-c", "user.name=ours", "-c", "user.email=ana@example.org")
    pulled(checkout, theirs, *ana)
    assert checkout.sync(mine=True).proposals[0].sign == "elsewhere"


def test_a_changed_line_leaves_the_item_as_it_is_until_it_is_approved(checkout, theirs):
    before = kept(checkout.config, "k0000001").fact
    theirs.edit("until pier 1 is", "unless pier 1 is")
    pulled(checkout, theirs)
    (proposal,) = checkout.sync(mine=True).proposals
    assert (proposal.item, proposal.before) == ("k0000001", before)
    assert kept(checkout.config, "k0000001").fact == before
    flow.approve(checkout.config, [proposal.id])
    report = checkout.sync()
    assert not report.proposals and report.edited == ("k0000001",)
    assert "unless pier 1 is" in kept(checkout.config, "k0000001").fact
    assert kept(checkout.config, proposal.id).status == "superseded"
    assert not checkout.sync().open


def test_a_change_that_was_rejected_goes_from_the_folder(checkout, theirs):
    theirs.edit("until pier 1 is", "unless pier 1 is")
    pulled(checkout, theirs)
    (proposal,) = checkout.sync().proposals
    flow.reject(checkout.config, [proposal.id], why="no")
    assert not checkout.sync().open
    assert "until pier 1 is" in checkout.page.read_text()


def test_a_new_bullet_that_was_approved_gets_its_id(checkout, theirs):
    theirs.add("`make dock` needs `make tide` first")
    pulled(checkout, theirs)
    (proposal,) = checkout.sync().proposals
    flow.approve(checkout.config, [proposal.id])
    assert not checkout.sync().open
    assert f"first [{proposal.id}]" in checkout.page.read_text()


def test_a_rejected_bullet_is_not_made_active_by_standing_there(checkout, theirs):
    theirs.add("`make dock` needs `make tide` first")
    pulled(checkout, theirs)
    (proposal,) = checkout.sync().proposals
    flow.reject(checkout.config, [proposal.id], why="no")
    assert checkout.sync().waiting == (proposal.id,)
    assert "`make dock` needs `make tide` first" not in checkout.facts()


def test_a_pulled_bullet_that_a_person_deleted_does_not_come_back(checkout, theirs):
    theirs.add("`make dock` needs `make tide` first")
    pulled(checkout, theirs)
    (proposal,) = checkout.sync().proposals
    flow.delete(checkout.config, [proposal.id], why="no")
    report = checkout.sync()
    assert not report.proposals and "for good" in report.notes[0]


def test_what_the_person_wrote_here_counts_once_they_say_so(checkout):
    checkout.add("`make dock` needs `make tide` first")
    (proposal,) = checkout.sync(dry_run=True).proposals
    assert proposal.sign == "untold"
    assert len(checkout.sync(mine=True).created) == 1
    git(checkout.root, "commit", "-qam", "synced")
    checkout.edit("until pier 1 is", "unless pier 1 is")
    git(checkout.root, "commit", "-qam", "mine")
    assert checkout.sync(mine=True).edited == ("k0000001",)


def test_a_commit_made_here_in_the_name_of_somebody_else_is_theirs(checkout):
    checkout.add("`make dock` needs `make tide` first")
    git(checkout.root, *STRANGER, "commit", "-qam", "theirs")
    assert checkout.sync(mine=True).proposals[0].sign == "elsewhere"


def test_a_wider_scope_that_was_pulled_is_a_proposal_too(checkout, theirs):
    lines = theirs.page.read_text().split("\n")
    moved = [line for line in lines if "k0000001" in line]
    theirs.page.write_text("\n".join(line for line in lines if line not in moved))
    theirs.folder.joinpath("global").mkdir(exist_ok=True)
    page = theirs.folder / "global/pitfalls.md"
    page.write_text("# Pitfalls\n\n" + moved[0] + "\n")
    theirs.page.write_text(
        theirs.page.read_text().replace("  0.80 · 1 session\n", "", 1)
    )
    git(theirs.root, "add", "-A")
    pulled(checkout, theirs)
    checkout.sync(mine=True)
    assert kept(checkout.config, "k0000001").repo == "harbor"


def test_a_deletion_that_was_pulled_is_not_carried_out(checkout, theirs):
    text = theirs.page.read_text()
    start = text.index("- `make ship` in harbor fails until pier 2")
    theirs.page.write_text(text[:start].rstrip() + "\n")
    pulled(checkout, theirs)
    report = checkout.sync(mine=True, deletions="retire")
    assert [(gone.id, "mo@example.net" in gone.by) for gone in report.deleted] == [
        ("k0000002", True)
    ]
    assert kept(checkout.config, "k0000002").status == "active"


@pytest.fixture
def signing(theirs, tmp_path):
    """They sign with a key of their own; what stands on the list of those who know it."""
    key = tmp_path / "key"
    git(
        tmp_path, "-c", "alias.x=!ssh-keygen", "x", "-q", "-t", "ed25519", "-N", "",
        "-f", str(key),
    )  # fmt: skip
    for name, value in (
        ("gpg.format", "ssh"),
        ("user.signingkey", str(key)),
        ("commit.gpgsign", "true"),
    ):
        git(theirs.root, "config", name, value)
    public = (tmp_path / "key.pub").read_text().split()
    return f"mo@example.net {public[0]} {public[1]}"


def test_what_a_listed_person_signed_is_taken(checkout, theirs, signing, tmp_path):
    checkout.config = Config(
        home=tmp_path / "home", user_home=tmp_path, signers=(signing,)
    )
    theirs.add("`make dock` needs `make tide` first")
    theirs.edit("until pier 1 is", "unless pier 1 is")
    pulled(checkout, theirs)
    report = checkout.sync()
    assert len(report.created) == 1 and report.edited == ("k0000001",)
    assert not report.proposals


def test_a_signature_of_somebody_who_is_not_listed_is_none(
    checkout, theirs, signing, tmp_path
):
    theirs.add("`make dock` needs `make tide` first")
    pulled(checkout, theirs)
    assert checkout.sync(mine=True).proposals
    other = signing.replace(signing.split()[2][-12:], "AAAAAAAAAAAA")
    checkout.config = Config(
        home=tmp_path / "home", user_home=tmp_path, signers=(other,)
    )
    assert checkout.sync(mine=True).proposals[0].sign == "elsewhere"


def test_nothing_that_a_strangers_repository_names_is_run(checkout, tmp_path):
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    for name in (
        "core.fsmonitor", "core.pager", "gpg.program", "gpg.ssh.program",
        "diff.trap.textconv", "filter.trap.clean", "filter.trap.smudge",
    ):  # fmt: skip
        git(checkout.root, "config", name, str(trap))
    git(checkout.root, "config", "log.showSignature", "true")
    (checkout.root / ".git/info/attributes").write_text("*.md diff=trap filter=trap\n")
    checkout.config = Config(
        home=tmp_path / "home",
        user_home=tmp_path,
        signers=("mo@example.net ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA==",),
    )
    checkout.add("`make dock` needs `make tide` first")
    assert checkout.sync().proposals
    assert not (tmp_path / "sprung").exists()


def test_a_folder_outside_git_needs_the_persons_word(tmp_path):
    plain = Checkout(tmp_path / "home", tmp_path / "shared")
    keep(plain.config, item(1))
    flow.export(plain.config, plain.folder)
    plain.add("`make dock` needs `make tide` first")
    plain.edit("until pier 1 is", "unless pier 1 is")
    assert len(plain.sync().proposals) == 2
    assert len(plain.facts()) == 1 and "until pier 1 is" in plain.facts().pop()
    report = plain.sync(mine=True)
    assert not report.open and len(plain.facts()) == 2


def test_proposals_are_no_flaw_of_the_store(tmp_path):
    plain = Checkout(tmp_path / "home", tmp_path / "shared")
    keep(plain.config, item(1))
    flow.export(plain.config, plain.folder)
    plain.add("`make dock` needs `make tide` first")
    (proposal,) = plain.sync().proposals
    flaws = flow.lint(plain.config).flaws
    assert proposal.id not in {flaw.where for flaw in flaws}


def test_a_pull_does_not_decide_which_items_the_folder_shows(checkout, theirs):
    keep(checkout.config, item(3, status="candidate"))
    index = theirs.folder / "index.json"
    index.write_text(
        index.read_text().replace('"active"\n ]', '"active",\n  "candidate"\n ]')
    )
    assert '"candidate"' in index.read_text()
    pulled(checkout, theirs)
    checkout.sync(mine=True)
    assert "k0000003" not in checkout.page.read_text()
