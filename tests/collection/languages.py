"""A small collection in six languages and scripts: notes about the kitchen and about sailing."""

from __future__ import annotations

import random
from pathlib import Path

TOPICS = ("kitchen", "sailing")

# For each language: sentences with places for two nouns, and the nouns of both topics.
_TONGUES: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "zh": (
        (
            "我们昨天看到了{}和{}，因为他们没有时间。",
            "如果你需要{}，那么这个{}就是最好的。",
            "她说{}已经准备好了，但是{}还没有。",
            "这些{}是我的，那些{}是他们的。",
        ),
        ("面包", "厨房", "蔬菜", "牛奶", "鸡蛋", "面粉", "晚餐", "水果"),
        ("帆船", "海洋", "风暴", "港口", "船长", "波浪", "岛屿", "灯塔"),
    ),
    "ja": (
        (
            "昨日、私は{}と{}について話しました。",
            "この{}はとても良いですが、その{}はまだです。",
            "彼は{}のために{}を買いました。",
            "{}がないから、{}もありません。",
        ),
        ("野菜", "台所", "牛乳", "料理", "砂糖", "夕食", "果物", "パン"),
        ("帆船", "海岸", "台風", "船長", "灯台", "航海", "ヨット", "桟橋"),
    ),
    "th": (
        (
            "เราเห็น{}และ{}เมื่อวานนี้",
            "ถ้าคุณต้องการ{}นี้ก็จะมี{}ด้วย",
            "เขาบอกว่า{}อยู่ที่นี่แต่{}ไม่มี",
            "{}ของฉันและ{}ของเธอ",
        ),
        ("ขนมปัง", "ห้องครัว", "ผัก", "นม", "น้ำตาล", "อาหาร", "ผลไม้", "แป้ง"),
        ("เรือใบ", "ทะเล", "พายุ", "ท่าเรือ", "กัปตัน", "คลื่น", "เกาะ", "ประภาคาร"),
    ),
    "ar": (
        (
            "رأينا {} و {} أمس لأن ذلك كان هناك.",
            "إذا كان عندك {} فإن هذا مثل {} أيضا.",
            "قالت إن {} ليس هنا ولكن {} هنا.",
            "هذه {} من تلك التي كانت مع {} في البيت.",
        ),
        ("خبز", "مطبخ", "خضار", "حليب", "سكر", "طعام", "فاكهة", "طحين"),
        ("قارب", "بحر", "عاصفة", "ميناء", "قبطان", "موجة", "جزيرة", "منارة"),
    ),
    "ru": (
        (
            "Мы видели {} и {} вчера, потому что это было там.",
            "Если у тебя есть {}, то этот {} тоже нужен.",
            "Она сказала, что {} уже здесь, но {} ещё нет.",
            "Это {} для нас, а {} только для них.",
        ),
        ("хлеб", "кухня", "овощи", "молоко", "сахар", "ужин", "фрукты", "мука"),
        ("парус", "море", "шторм", "гавань", "капитан", "волна", "остров", "маяк"),
    ),
    "hi": (
        (
            "हमने कल {} और {} को देखा क्योंकि वह वहाँ था।",
            "अगर आपके पास {} है तो यह {} भी चाहिए।",
            "उसने कहा कि {} यहाँ है लेकिन {} नहीं है।",
            "यह {} मेरा है और वह {} उनका है।",
        ),
        ("रोटी", "रसोई", "सब्ज़ी", "दूध", "चीनी", "भोजन", "आटा", "नमक"),
        ("नाव", "समुद्र", "तूफ़ान", "बंदरगाह", "कप्तान", "लहर", "द्वीप", "पाल"),
    ),
}

LANGUAGES = tuple(_TONGUES)


def nouns(language: str, topic: str) -> tuple[str, ...]:
    """The nouns of a topic, as they are written."""
    return _TONGUES[language][1 + TOPICS.index(topic)]


def note(language: str, topic: str, rng: random.Random, sentences: int = 6) -> str:
    """A note of a few sentences."""
    chosen = (rng.choice(_TONGUES[language][0]) for _ in range(sentences))
    # Thai parts sentences by a blank, and so may all others
    return " ".join(text.format(*rng.sample(nouns(language, topic), 2)) for text in chosen)


def write_notes(folder: Path, languages: tuple[str, ...] = LANGUAGES, each: int = 10) -> Path:
    """Write ``each`` notes of both topics in each language, as ``topic/language-number.txt``."""
    rng = random.Random(7)
    for topic in TOPICS:
        (folder / topic).mkdir(parents=True, exist_ok=True)
        for language in languages:
            for number in range(each):
                path = folder / topic / f"{language}-{number}.txt"
                path.write_text(note(language, topic, rng), encoding="utf-8")
    return folder
