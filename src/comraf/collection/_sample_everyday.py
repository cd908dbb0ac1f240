"""What people write in the sample mailbox whatever the topic is, and words that say nothing."""

from __future__ import annotations

from comraf.collection._sample_stock import Stock

__all__ = ["CLOSINGS", "EVERYDAY", "GREETINGS", "STOP_WORDS"]

#: Slots that the stocks of all topics may use.
_SHARED = {
    "day": "Saturday|Friday|Monday|Tuesday|Thursday|Wednesday|Sunday",
    "time": "in the morning|after lunch|at nine|at half past six|in the evening|before noon|at two"
    "|around four|first thing",
    "month": "April|March|May|February|June|January",
    "when": "next week|tomorrow|this week|by Friday|over the weekend|at the end of the month"
    "|before Easter|within ten days|tonight",
    "few": "two|three|a couple of|four|five|a few|six|several|a dozen",
    "sum": "120 euros|80 euros|450 euros|35 euros|1,200 euros|60 euros|2,750 euros|15 euros",
    "doc": "list|plan|form|draft|letter|note|file|invoice|budget|minutes|agenda|map|photos",
    "verb": "check|look at|go through|confirm|send round|print|update|sign|share",
    "feel": "happy|a bit worried|relieved|not sure|surprised|glad|tired|hopeful",
    "place": "the office|the café|the town hall|our place|the library|the station|the car park"
    "|the back room",
    "reason": "the weather|a cold in the family|the trains|a late delivery|work|the holidays"
    "|a misunderstanding|the school run",
}

EVERYDAY = Stock.of(
    "everyday",
    "Everyday",
    1.0,
    0.5,
    _SHARED,
    """
    Thank you for the quick answer.
    Sorry for the slow reply, it has been one of those weeks.
    I will call you {time} if that suits you.
    Could you {verb} the {doc} and tell me what you think?
    The {doc} is attached, please {verb} it {when}.
    I have not heard from {first} since {day}.
    Let me know whether {day} {time} works for everybody.
    I am {feel} about how this is going.
    We can talk about the rest when we meet at {place}.
    Please forward this to anyone I have forgotten.
    My phone was off because of {reason}, so write to me instead.
    There are {few} questions left and I would like to settle them {when}.
    {first} and I had a long talk about it on {day}.
    Nothing is decided yet, so please do not worry.
    I put the {doc} on the table at {place} for whoever comes first.
    As far as I can tell we are on time, but only just.
    Who can take care of the {doc} while I am away?
    I shall be away from {day} and back {when}.
    It took longer than expected because of {reason}.
    The whole thing will cost about {sum}, give or take.
    I paid {sum} out of my own pocket and kept the receipt.
    Can someone lend us a car on {day}?
    We need {few} more people who can help {when}.
    Please write your name on the {doc} before {day}.
    I agree with {first}, we should keep it simple.
    On the other hand, it may be wiser to wait until {month}.
    Just to be clear, this is only a suggestion.
    I made {few} small changes to the {doc}, have a look.
    Is there anything I have missed?
    That was a very good idea of {first}.
    I can bring coffee and cake for after the meeting.
    The meeting at {place} starts {time}, please be there a little early.
    Let us meet at {place} on {day} {time}.
    If you cannot come, tell {first} so that we can plan.
    I am {feel}, but I think we will manage.
    Many thanks to all of you who stayed late on {day}.
    Would you mind asking {first} about it?
    I will send the final {doc} {when}.
    The numbers in the {doc} do not add up, somebody should count again.
    It rained all day, so we did less than we hoped.
    My brother is visiting {when} and can lend a hand.
    The children have been ill, so I am behind with everything.
    Remind me to return the keys on {day}.
    We spent {few} hours on it and I learned a lot.
    There is a small problem and I would rather explain it in person.
    Have a nice weekend and greetings to the family.
    I hope you are well and that {month} has been kind to you.
    To answer your question, yes, it can wait until {day}.
    Shall we split the cost between us?
    The person on the telephone was friendly but could not help.
    I copied {first} so that everybody knows the same.
    Please keep this between us for the moment.
    A reminder that the deadline is {when}.
    I asked twice and was promised an answer {when}.
    Everyone I spoke to was {feel}.
    The first half went well and the second half needs more work.
    Let me think about it and come back to you {when}.
    I do not have a strong opinion, do what you think is best.
    We ought to write the steps down so that others can follow.
    It is a long story, but in the end everything was fine.
    """,
    """
    Quick question
    {day}
    Next steps
    A small update
    Are you free on {day}?
    Sorry!
    The {doc}
    Thank you
    News from {first}
    Plan for {month}
    Café on {day}?
    """,
)

GREETINGS = ("Hi {},", "Hello {},", "Dear {},", "{},", "Good morning {},", "Hi {}!")
CLOSINGS = (
    "Best wishes,",
    "Thanks,",
    "Kind regards,",
    "See you soon,",
    "Cheers,",
    "All the best,",
    "Talk soon,",
    "Warm regards,",
)

_STOP_WORDS = """
about above after again against all almost along already also although always am among an and
another any anybody anyone anything are as at away be because been before being below between
both but by can cannot could did do does doing done down during each either else enough even
ever every everybody everyone everything few for from further get gets give go goes going got
had has have having he her here hers herself him himself his how however if in into is it its
itself just least less let like made make many may me might mine more most much must my myself
near neither never no nobody none nor not nothing now of off often on once one only or other
others our ours ourselves out over own perhaps quite rather really same shall she should since
so some somebody someone something soon still such than that the their theirs them themselves
then there these they thing this those though through to together too toward under until up
upon us very was we well were what when where whether which while who whoever whole whom whose
why will with within without would yes yet you your yours yourself yourselves
"""

#: Words of the language rather than of a topic, left out of the sample's tables.
STOP_WORDS = frozenset(_STOP_WORDS.split())
