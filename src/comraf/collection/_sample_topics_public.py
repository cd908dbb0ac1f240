"""Sentences of the sample mailbox about the club, the festival, the software and the lawsuit."""

from __future__ import annotations

from comraf.collection._sample_stock import Stock

__all__ = ["BRIDGE", "FESTIVAL", "SAILING", "SOFTWARE"]

SAILING = Stock.of(
    "sailing",
    "Sailing club",
    1.2,
    0.75,
    {
        "boat": "dinghy|yacht|sloop|catamaran|safety boat|ketch|keelboat",
        "gear": "mainsail|jib|spinnaker|rudder|anchor|tiller|halyard|mast|keel|life raft|boom"
        "|outboard engine|winch|mainsheet",
        "wind": "a fresh breeze|force six|a light wind|gusts|fog|a dead calm|a falling barometer",
        "water": "the bay|the estuary|the harbour mouth|the sound|the north channel|open water",
        "race": "regatta|spring series|club race|night passage|junior cup|relay",
    },
    """
    The {race} starts {time} on {day} if there is enough wind.
    We launched the {boat} on {day} and she floats.
    The forecast says {wind} in {water}, so reef early.
    The {gear} of the {boat} needs to be replaced before the {race}.
    We lost the {gear} off the buoy in {wind}.
    I am looking for crew for the {race}, no experience needed.
    High tide is {time}, so the slipway can be used until noon.
    The {boat} ran aground on the sandbank near {water}.
    Please wash the salt off the {gear} and hang it in the clubhouse.
    The mooring fee for a {boat} is {sum} for the season.
    The junior sailors practised capsizing in {water}.
    The skipper of the {boat} protested after the second mark.
    Our helm called for water at the mark and nobody heard.
    The committee boat anchors in {water} and shows the course on a board.
    The hull has been scraped and needs {few} coats of antifouling.
    Scrub the deck and check the bilge pump after sailing.
    The {gear} was damaged in {wind}, there is a patch on it for now.
    The harbour master wants the pontoon clear {when}.
    We sailed round the lighthouse with {wind} on the beam.
    Everyone must wear life jackets in the {boat}, the commodore will check.
    The radio course is in the clubhouse on {day} {time}.
    Knots, charts and tide tables will be in the test for new members.
    The tide turned early and we had to tack all the way back to port.
    {few} boats retired from the {race} because of {wind}.
    The {boat} won the {race} by half a length.
    The new {gear} is stiff, and it takes two people to hoist it.
    Seaweed wrapped itself round the rudder in {water}.
    Winter storage ends in {month}, please move your trailer from the boat park.
    The handicap of the {boat} was changed after the {race}.
    The club bar is open after the {race} and the prizes will be given there.
    The swell in {water} made half of the crew seasick.
    The bowman lost his footing when the spinnaker collapsed.
    A line of squalls came over {water} and everybody ran for shelter behind the pier.
    The coastguard towed a {boat} in after dark.
    """,
    """
    Crew for the {race}
    {race} on {day}
    The {gear}
    Forecast for {day}
    Launching the {boat}
    Moorings
    Results of the {race}
    Work party at the boat park
    {boat} for sale
    """,
)

FESTIVAL = Stock.of(
    "festival",
    "Film festival",
    1.0,
    0.8,
    {
        "film": "documentary|short film|feature|silent film|cartoon|premiere|retrospective"
        "|student film",
        "art": "director|actor|projectionist|editor|critic|composer|screenwriter|jury",
        "venue": "the old cinema|the small screen|the open-air screen|the theatre|the foyer"
        "|the main hall|the marquee",
        "print": "trailer|poster|print|programme|catalogue|press kit|leaflet",
        "kind": "comedy|thriller|western|love story|crime film|family drama",
    },
    """
    The {film} will be shown in {venue} on {day} {time}.
    The {art} of the {film} confirmed and will answer questions after the screening.
    The {print} for the {film} has not come back from the printer.
    The jury liked the {film} but found the plot thin.
    We need volunteers at the box office and to check tickets in {venue}.
    The {art} asks for a hotel near {venue} and a train ticket.
    The projector in {venue} lost its sound during the test.
    The opening film is a {kind} with a wonderful cast.
    The soirée for sponsors takes place in {venue}.
    {few} films from the retrospective exist only as a print on reels.
    The audience award goes to the best {film}.
    The distributor wants {sum} for one screening of the {film}.
    The {film} runs ninety minutes and has French subtitles.
    The poster shows a lantern over the river, the printer needs it {when}.
    The press screening is {time} and critics must register.
    The {art} withdrew the {film} because the final cut is not ready.
    The release of the {kind} was delayed, so we may have the premiere.
    Please proofread the catalogue page about the {art}.
    The red carpet is back from the cleaner.
    The {film} was shot with a hand camera in black and white.
    The soundtrack of the {kind} is by a young composer.
    Festival passes cost {sum}, and students pay half.
    The queue for the {film} went round the block.
    Children's films are in {venue} on {day} {time}.
    The actors rehearse the reading on stage in {venue}.
    The scene on the bridge is the best in the {film}.
    The {art} cannot get a visa in time, so we record an interview.
    The popcorn machine in the foyer trips the fuse of the projector.
    We are choosing between a {kind} and a {film} for the closing night.
    The jury meets in {venue} and sees {few} films a day.
    The frame was cropped at the top in the test, so the projectionist needs another lens.
    A critic from the newspaper wrote a kind review of the {film}.
    The trailer of the festival will run before every {film}.
    The script of the {kind} won a prize before anybody shot a scene.
    """,
    """
    {film} on {day}
    Volunteers for the festival
    Subtitles for the {film}
    The jury
    {print}
    Projector in {venue}
    Guests: the {art}
    Opening night
    Soirée in {venue}
    Programme for {day}
    """,
)

SOFTWARE = Stock.of(
    "software",
    "Software release",
    1.1,
    0.35,
    {
        "piece": "parser|server|installer|calendar view|login page|database|importer|search box"
        "|settings screen|test suite|plugin",
        "bug": "crash|memory leak|race condition|regression|typo|deadlock|timeout|wrong time zone",
        "act": "merge|revert|review|rebase|document|refactor|test|backport",
        "system": "Windows|Linux|the phone app|the web version|older machines|the build server",
        "ver": "release candidate|beta|patch release|milestone|nightly build|hotfix",
    },
    """
    The {bug} in the {piece} is fixed on the main branch.
    Could someone {act} my patch for the {piece}?
    The {ver} is planned for {day} unless we find another {bug}.
    Users of {system} report a {bug} when they open the {piece}.
    The tests pass on Linux and fail on {system}.
    I would like to {act} the change to the {piece} before the {ver}.
    The {piece} is slow because it reads the whole file into memory.
    The changelog for the {ver} lacks the new {piece}.
    We have {few} open tickets with the label release blocker.
    The translation of the {piece} is complete apart from {few} strings.
    The build failed again, this time because of a {bug}.
    Please update the dependency, the old version has a security hole.
    The {piece} should not listen on a public port by default.
    I bisected the {bug} to a commit from {month}.
    The user manual still shows the old {piece}.
    A stack trace is attached, it happens when the {piece} gets an empty date.
    Feature freeze is on {day}, after that only bug fixes go in.
    The code of the {piece} has no unit tests at all.
    The download page must point to the {ver} {when}.
    We should deprecate the old interface and {act} the {piece}.
    {few} users asked for an export to a spreadsheet.
    The {ver} was tagged and the packages are uploaded.
    The {piece} stores passwords correctly now, thanks to the review.
    On {system} the keyboard shortcuts do not work.
    The script that migrates the database takes {few} minutes.
    The trial account expires too early, that is a {bug} as well.
    I opened a pull request that makes the {piece} twice as fast.
    Continuous integration is red because the certificate of the server expired.
    The icons are blurred on a screen with high resolution.
    Please {act} the pull request, the diff is only {few} lines.
    The configuration file should be validated before the {piece} starts.
    We got a bug report without a version number or a log.
    The appeal for donations paid for the build server until {month}.
    Cached tide tables are off by an hour, it looks like a {bug}.
    """,
    """
    {bug} in the {piece}
    {ver} on {day}
    Please {act}: {piece}
    Tests fail on {system}
    Release notes
    Pull request for the {piece}
    Feature freeze
    {piece} is slow
    Translations
    """,
)

BRIDGE = Stock.of(
    "bridge",
    "Bridge lawsuit",
    0.8,
    0.55,
    {
        "court": "court|judge|tribunal|registry|appeal court",
        "party": "council|contractors|insurers|claimants|residents|engineers|defendants|surveyors",
        "paper": "witness statement|expert report|claim|defence|affidavit|contract|court bundle"
        "|settlement offer|order",
        "harm": "cracks in our houses|the noise|the flooding|the closed road|the subsidence"
        "|loss of trade|the vibration",
        "span": "bridge|pier|foundation|river bank|embankment|parapet|steel girder|crossing",
    },
    """
    The {court} has set the hearing for {day} {time}.
    The {party} deny that {harm} came from the work on the {span}.
    Our solicitor will file the {paper} {when}.
    The {paper} of the {party} is more than eighty pages long.
    The {party} offered {sum} to each household without admitting liability.
    The expert measured the {span} and confirms {harm}.
    Please sign the {paper} and send it back to our lawyers.
    The barrister thinks that our case on {harm} is strong.
    The {party} must disclose the drawings of the {span}.
    Costs will follow the event, so we need to know the risk.
    The {court} refused the application for an adjournment.
    The piles of the {span} were driven too close to the houses.
    The limitation period for {harm} ends in {month}.
    We have {few} witnesses who saw the crack in the {span}.
    The {party} changed their solicitors again.
    The judge asked who was responsible for inspecting the {span}.
    Mediation with the {party} failed on {day}.
    The clause in the contract about damage to neighbours helps the claimants.
    The {party} blame the {party} for {harm}.
    Keep every photograph and every letter about {harm} as evidence.
    The {span} stays closed to lorries until the {court} decides.
    If we lose, an appeal must be lodged within {few} weeks.
    The engineer admitted in cross examination that the {span} had moved.
    The claim for compensation includes {harm} and the cost of repairs.
    The trial is listed for {few} days in {month}.
    Without prejudice, the {party} might accept a joint survey of the {span}.
    The legal fees until the trial come to {sum} for each family.
    The injunction stops all work on the {span} at night.
    The {court} wants a short chronology and an agreed bundle.
    The ground under the {span} is clay, which the {party} knew.
    The planning inspector's report on the {span} is public now.
    The {paper} was served on the {party} on {day}.
    The council's own surveyor warned of {harm} before the first stone was laid.
    """,
    """
    Hearing on {day}
    The {paper}
    {party}
    Evidence about {harm}
    Your {paper}
    Costs
    Meeting with counsel
    Survey of the {span}
    Settlement
    """,
)
