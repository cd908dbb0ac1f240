"""Sentences of the sample mailbox about the house, the garden, the school and the ward."""

from __future__ import annotations

from comraf.collection._sample_stock import Stock

__all__ = ["GARDEN", "RENOVATION", "SCHOOL", "WARD"]

RENOVATION = Stock.of(
    "renovation",
    "House renovation",
    1.3,
    0.2,
    {
        "room": "kitchen|bathroom|hall|attic|bedroom|cellar|landing|porch|study",
        "trade": "plumber|electrician|carpenter|plasterer|roofer|tiler|decorator|glazier",
        "stuff": "tiles|floorboards|plaster|timber|paint|bricks|insulation|grout|mortar|slates"
        "|skirting boards|window frames",
        "fault": "damp patch|crack|leak|draught|rotten joist|loose slate|blocked drain|stain",
        "part": "ceiling|wall|floor|chimney|staircase|façade|boiler|radiator|sink|roof|gutter|door"
        "|window|back deck",
        "act": "sand|paint|replace|insulate|strip|plaster|measure|drill|seal|varnish",
        "paint": "white|pale green|oak|slate grey|cream|dark blue",
    },
    """
    The {trade} found a {fault} behind the {part}.
    We have to {act} the {part} before the {stuff} can go in.
    The builder wants to knock through the wall between the {room} and the {room}.
    The {stuff} for the {room} arrived, but {few} boxes were broken.
    I asked the {trade} for a quote and the estimate is {sum} without materials.
    The old pipes under the {room} are lead and must be replaced.
    The {room} smells of fresh {stuff} and there is dust on every shelf.
    Did you choose the {paint} paint for the {room}, or the {paint} one?
    The scaffolding goes up on {day} and the {trade} needs the drive empty.
    There is no hot water until the {trade} has moved the boiler.
    The {part} is not level, so the cupboards do not fit.
    The {trade} says that the {fault} comes from the gutter.
    We should {act} the {part} and {act} the {part} at the same time.
    The architect sent new drawings of the {room} with a bigger window.
    The skip is full, so the rubble from the {room} is piled up by the porch.
    The planning office wants to see the drawings of the extension.
    Please keep the {room} locked, the floor is still wet with varnish.
    The new sockets go at the height of the worktop, the {trade} marked them in pencil.
    A beam over the {room} is sagging and needs a steel support.
    The wallpaper in the {room} came off with half of the plaster.
    The sink and the taps are in the garage, still in their boxes.
    We cook on a camping stove in the {room} while the kitchen is a building site.
    The frame of the {room} window is rotten and the glazier cannot save it.
    The {trade} will sand the boards and oil them {when}.
    The bricks of the chimney are loose and the mortar crumbles when you touch it.
    The house will be cold until the {part} has been insulated.
    I bought {few} rolls of insulation, which should do for the attic.
    The tiles by the bath are crooked and the {trade} must lay them again.
    The invoice of the {trade} has a line for {stuff} that we never saw.
    The bedroom door sticks since the floor was raised.
    The inspector passed the wiring but not the drain.
    A new lock for the door and a handrail for the staircase are still on the snag list.
    The roof is open above the {room}, so pray for dry weather.
    Our neighbours complained about the noise of drilling {time}.
    The bank will release the next part of the loan when the {part} is finished.
    """,
    """
    Quote from the {trade}
    The {room}
    {stuff} for the {room}
    {fault} behind the {part}
    Paint for the {room}
    Builders on {day}
    Snag list
    Façade: {paint} or {paint}?
    The {part} again
    Drawings of the extension
    """,
)

GARDEN = Stock.of(
    "garden",
    "Garden cooperative",
    1.1,
    0.65,
    {
        "crop": "tomatoes|beans|potatoes|courgettes|onions|lettuce|pumpkins|carrots|leeks|kale"
        "|jalapeños|beetroot|peas",
        "pest": "slugs|aphids|blight|pigeons|cabbage moths|rust|vine weevils|bugs",
        "tool": "wheelbarrow|spade|hoe|hose|rake|watering can|pruning saw|rotavator",
        "spot": "greenhouse|compost heap|raised bed|shed|plot|water butt|orchard|hedge|polytunnel",
        "job": "weed|dig|water|mulch|prune|sow|harvest|rake|plant out",
        "herb": "basil|parsley|thyme|coriander|mint|dill",
    },
    """
    The {crop} are ready to plant out once the frost is over.
    {pest} got into the {spot} and ate most of the {crop}.
    Could somebody {job} the {spot} while I am on holiday?
    The {tool} is missing from the shed again.
    We have more {crop} seedlings than room in the {spot}.
    The compost is hot and steaming, turn it with a fork {when}.
    Members who want a second plot should put their name down with the cooperative.
    I saved seed from last year's {crop} and there are {few} packets to share.
    The soil in the raised bed is heavy clay, so dig in some manure.
    A lorry brings manure on {day} {time}, bring your own {tool}.
    The stall at the market sold out of {crop} and {herb}.
    Please do not leave the hose running, the water butt was empty on {day}.
    The {spot} needs new glass after the storm.
    We {job} the paths together on {day}, and there is soup afterwards.
    The bees are in the orchard now, so keep away from the hives {time}.
    I sowed {crop} under fleece and they came up in {few} days.
    The {pest} are bad this year, has anybody tried garlic spray?
    The harvest boxes go to {few} households and each gets {crop}, {crop} and {herb}.
    The rent of a plot goes up to {sum} for the season.
    The apple tree has canker and one branch must be cut.
    Straw between the rows of {crop} keeps the weeds down.
    The rota for watering is pinned to the door of the {spot}.
    Somebody left the gate open and a deer trampled the {crop}.
    Rhubarb and {crop} are free for anyone who passes the {spot}.
    The council tested the ground and the soil is clean.
    I pinched out the side shoots of the tomatoes and tied them to canes.
    The patch by the fence gets no sun, try {crop} or {herb} there.
    The cooperative needs a new treasurer, and the seed order is due {when}.
    Crop rotation means that {crop} follow {crop} this spring.
    My {crop} bolted in the heat and taste bitter.
    We want to build a drain along the path, it floods after every shower.
    The frost on {day} killed the {herb} but spared the {crop}.
    Green manure goes into the empty bed after the {crop} are lifted.
    Plot holders, please {job} your edges, nettles are spreading from the {spot}.
    """,
    """
    {crop} to give away
    {pest}!
    Watering rota
    Who has the {tool}?
    Manure on {day}
    Seed order
    Jalapeños and {crop}
    Work day on {day}
    The {spot}
    Harvest boxes
    Plot to let
    """,
)

SCHOOL = Stock.of(
    "school",
    "School trip",
    0.9,
    0.4,
    {
        "pupil": "children|pupils|class|group|parents|boys and girls",
        "sight": "castle|museum|lighthouse|zoo|old mine|château|planetarium|salt works|harbour",
        "bring": "packed lunch|raincoat|sleeping bag|water bottle|torch|rucksack|towel"
        "|toothbrush|sun hat",
        "ride": "coach|train|ferry|minibus",
        "worry": "homesickness|a nut allergy|travel sickness|asthma|lost shoes|nightmares",
    },
    """
    The {pupil} leave from the school gate {time} on {day}.
    Every child needs a {bring} and a {bring}.
    The {ride} costs {sum} for each child, to be paid to the school office.
    Please return the permission slip to the teacher by {day}.
    The {pupil} will visit the {sight} on the second day.
    We still need {few} parents to come along as helpers.
    The youth hostel has dormitories with {few} bunk beds each.
    Who shares a room with whom is up to the teachers.
    My daughter would like to sit next to her friend on the {ride}.
    The {ride} driver needs the exact address of the hostel.
    No mobile telephones on the trip, the teachers have one for emergencies.
    Tell the school about {worry} on the medical form.
    The worksheet about the {sight} is for geography and history.
    The guide at the {sight} speaks slowly and is good with {pupil}.
    The head teacher wants a list of all {pupil} with emergency numbers.
    Families for whom the trip is too expensive can ask the parents' fund.
    The bake sale for the class raised {sum}.
    The {pupil} wrote a diary and drew the {sight}.
    My son forgot his {bring} at the hostel.
    Breakfast at the hostel is at seven and lights go out at nine.
    The trip to the {sight} replaces lessons and homework that week.
    The class board meets at the school to choose between the {sight} and the {sight}.
    A teacher is ill, so class 5b has a substitute until the trip.
    The {pupil} practised a song for the last evening by the fire.
    Label the {bring}, the lost property box is full already.
    Two girls need vegetarian meals and one boy is allergic to eggs.
    The insurance of the school covers the {pupil} on the {ride}.
    The playground is the meeting point if the {ride} is late.
    Pocket money should be no more than {sum}.
    The school will send a message when the {ride} has arrived.
    For the crossing by ferry the {pupil} stay together with their teacher on deck.
    In the case of rain the class goes to the {sight} instead of the beach.
    The term ends a week after the trip, and the reports come out on {day}.
    """,
    """
    School trip: {bring}
    Permission slips
    The {ride} on {day}
    Helpers for the {sight}
    Class 5b
    Rooms at the hostel
    Bake sale
    Château or {sight}?
    Trip to the {sight}
    Medical forms
    """,
)

WARD = Stock.of(
    "ward",
    "Ward rota",
    1.2,
    0.5,
    {
        "shift": "night shift|early shift|late shift|weekend shift|long day|on-call shift",
        "staff": "nurse|doctor|student nurse|physiotherapist|porter|pharmacist|healthcare assistant"
        "|registrar",
        "ill": "pneumonia|a hip fracture|diabetes|heart failure|a stroke|an infected wound|sepsis"
        "|chest pain",
        "kit": "infusion pump|monitor|wheelchair|oxygen cylinder|bed|trolley|drip stand|thermometer"
        "|commode",
        "task": "handover|drug round|ward round|discharge|admission|dressing change|hand hygiene"
        " audit",
        "bay": "bay two|side room four|the day room|bay one|theatre|intensive care|the corridor",
    },
    """
    Can anybody swap their {shift} on {day} for my {shift}?
    The rota for {month} has {few} gaps on the {shift}.
    We are one {staff} short on the {shift}.
    The patient in {bay} came in with {ill} and is stable now.
    Handover on {day} took too long, please keep it to each patient's plan.
    The {kit} in {bay} is broken, please label it and call the technicians.
    A {staff} from the agency will cover the {shift}.
    The {task} should be finished {time} so that visitors can come.
    Annual leave for {month} must be asked for {when}.
    Two patients in {bay} are isolated because of an infection.
    The pharmacist changed the dose of the antibiotic, read the drug chart.
    Sick leave has doubled this winter and the ward is full.
    The consultant does the ward round {time} on {day}.
    A new {staff} starts on {day} and will shadow the {shift}.
    The relatives of the patient with {ill} asked for a meeting with the doctor.
    Please record blood pressure and pulse after every {task}.
    There is training on the new {kit} in {bay} on {day}.
    We ran out of gloves and clean sheets during the {shift}.
    The hospital wants {few} beds free for emergency admissions.
    Whoever works the {shift} holds the keys of the drug cupboard.
    The patient with {ill} can be discharged once transport is booked.
    The bank nurse on the {shift} did not know where the {kit} was.
    Night staff may not work more than {few} nights in a row.
    The {staff} on call did not answer the bleep {time}.
    The audit found gaps in the charts after the {task}.
    My back hurts after lifting, so I cannot do the {shift} on {day}.
    A clinical trial for {ill} will recruit patients from our ward.
    The hearing aids of a patient went missing in {bay}.
    The pressure sore in {bay} needs a dressing change twice a day.
    The nurses' station will be painted, so the {task} moves to {bay}.
    Overtime for the {shift} is paid at the end of {month}.
    The matron asks every {staff} to have the flu vaccine.
    In that case the {staff} screens new patients in {bay} before they get a bed.
    Meals arrive late on the {shift} and patients with diabetes cannot wait.
    """,
    """
    Swap the {shift}?
    Rota for {month}
    {shift} on {day}
    {staff} needed
    The {kit} in {bay}
    Annual leave
    Training on the {kit}
    {task}
    Handover notes
    """,
)
