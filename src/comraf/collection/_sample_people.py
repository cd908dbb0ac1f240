"""The people of the sample mailbox. All of them, and all of their addresses, are invented."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["LISTS", "OWNER", "PEOPLE", "SamplePerson"]


@dataclass(frozen=True)
class SamplePerson:
    """One invented correspondent.

    Attributes
    ----------
    name : str
        The full name, as most messages spell it.
    addresses : tuple of str
        All addresses the person writes from, the usual one first.
    spellings : tuple of str
        All spellings of the name that appear in headers, the usual one first.
    topics : tuple of str
        Topics the person takes part in; empty for those who write about anything.
    signature : str
        Lines under the messages; may be empty.
    charset : str
        Character set the person's mail program prefers.
    html : bool
        Whether the person's mail program writes HTML beside plain text.

    Examples
    --------
    >>> SamplePerson("Ada Berg", ("ada@example.org",), ("Ada Berg",), ("garden",)).first
    'Ada'
    """

    name: str
    addresses: tuple[str, ...]
    spellings: tuple[str, ...]
    topics: tuple[str, ...]
    signature: str = ""
    charset: str = "utf-8"
    html: bool = False
    first: str = field(init=False, default="")

    def __post_init__(self) -> None:
        object.__setattr__(self, "first", self.name.split()[0])


def _person(
    names: str,
    addresses: str,
    topics: str = "",
    signature: str = "",
    *,
    charset: str = "utf-8",
    html: bool = False,
) -> SamplePerson:
    spellings = tuple(names.split("|"))
    return SamplePerson(
        spellings[0],
        tuple(addresses.split()),
        spellings,
        tuple(topics.split()),
        signature,
        charset,
        html,
    )


#: The mailbox belongs to her; she is on every message but those of the mailing lists.
OWNER = _person(
    "Nora Lindqvist|N. Lindqvist",
    "nora.lindqvist@example.org nora@lindqvist.example",
    signature="Nora Lindqvist",
)

#: Mailing lists: topic -> address, name, prefix of the subject.
LISTS = {
    "garden": ("talk@lists.greenlane.example", "Green Lane Growers", "[growers]"),
    "software": ("devel@lists.tidebook.example", "Tidebook development", "[tidebook-devel]"),
}

PEOPLE = (
    # One topic only.
    _person(
        "Gerrit Holm|G. Holm",
        "gerrit@holm-bouw.example office@holm-bouw.example",
        "renovation",
        "Holm & Daughter, builders\nAll work guaranteed for five years",
    ),
    _person("Ilse Vermaak", "ilse@vermaak-tegels.example", "renovation", html=True),
    _person("Tomasz Wójcik|Tomasz Wojcik", "t.wojcik@sparkwise.example", "renovation"),
    _person(
        "Søren Kjær|Soren Kjaer",
        "soren@northpier.example skjaer@example.net",
        "sailing",
        "Søren Kjær, commodore\nNorth Pier Sailing Club",
        charset="iso-8859-1",
    ),
    _person("Bea Thornton", "bea.thornton@northpier.example", "sailing"),
    _person("Idris Mbeki|Idris M.", "idris.mbeki@example.net", "sailing"),
    _person("Ruth Castellan", "r.castellan@stbrendan.example", "ward", "Ward 6, St Brendan's"),
    _person(
        "Adaeze Obi|Sister Adaeze Obi",
        "a.obi@stbrendan.example adaeze.obi@example.com",
        "ward",
        "Adaeze Obi\nSenior nurse, ward 6",
    ),
    _person("Pavel Dvořák|Pavel Dvorak", "p.dvorak@stbrendan.example", "ward"),
    _person(
        "Zoë Achterberg|Zoe Achterberg",
        "zoe@lanternfilm.example programme@lanternfilm.example",
        "festival",
        "Lantern Film Festival\nthe first week of May",
        html=True,
    ),
    _person("Renée Dupuis|Renee Dupuis", "renee.dupuis@cinemajade.example", "festival"),
    _person("Hiroshi Tanabe|田辺 浩", "tanabe@example.net", "festival"),
    _person(
        "Clara Weiss|Weiss, Clara",
        "c.weiss@millfield-school.example",
        "school",
        "Clara Weiss, class 5b\nMillfield School",
    ),
    _person("Oluwaseun Adeyemi|Seun Adeyemi", "seun.adeyemi@example.org", "school"),
    _person("Marta Figueiras", "office@millfield-school.example", "school", "School office"),
    _person("Lev Aronov", "lev@tidebook.example lev.aronov@example.com", "software"),
    _person("Priya Raghunathan|Priya R.", "priya@tidebook.example", "software", "Priya"),
    _person("Einar Þórsson|Einar Thorsson", "einar@thorsson.example", "software"),
    _person("Agnes Pettersen", "agnes.pettersen@example.net", "garden", "Plot 14"),
    _person("Domingo Ibáñez|Domingo Ibanez", "domingo@greenlane.example", "garden"),
    _person("Winifred Oake|Win Oake", "win.oake@example.com winifred@oake.example", "garden"),
    _person(
        "Harriet Solomon|H. Solomon",
        "hsolomon@solomonvane.example",
        "bridge",
        "Harriet Solomon, partner\nSolomon Vane, solicitors\nThis message may be confidential.",
        html=True,
    ),
    _person("Philip Vane", "pvane@solomonvane.example clerks@solomonvane.example", "bridge"),
    _person("Jadwiga Król|Jadwiga Krol", "j.krol@riverside-residents.example", "bridge"),
    # Two or three topics.
    _person("Maud Ferreira", "maud.ferreira@example.org", "renovation garden"),
    _person("Kwame Asante|K. Asante", "kwame@asante.example", "renovation bridge"),
    _person("Elif Demirtaş|Elif Demirtas", "elif.demirtas@example.com", "school ward", html=True),
    _person("Oskar Brandt", "oskar.brandt@example.net obrandt@work.example", "sailing software"),
    _person("Yara Nasser", "yara.nasser@example.org", "festival school", html=True),
    _person("Colm Gallagher", "colm@gallagher.example", "sailing bridge", charset="iso-8859-1"),
    _person("Tilda Eriksson|Tilda E.", "tilda.eriksson@example.com", "garden school"),
    _person("Benedikt Rosen", "benedikt.rosen@example.org", "festival software"),
    _person("Farah Siddiqui|Dr Farah Siddiqui", "farah.siddiqui@example.net", "ward bridge"),
    _person("Anselm Okonkwo", "anselm@example.org", "garden festival ward"),
    # Friends and family, who write about anything.
    _person("Jonas Lindqvist|Jonas L.", "jonas@lindqvist.example jonas.l@work.example"),
    _person("Margareta Lindqvist|Mamma", "margareta@lindqvist.example", charset="iso-8859-1"),
    _person("Dana Kowalczyk", "dana.k@example.com", html=True),
    _person("Émile Laurent|Emile Laurent", "emile.laurent@example.net"),
    _person("Sunniva Haug", "sunniva.haug@example.org", signature="Sent from my telephone"),
)
