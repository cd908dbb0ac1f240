"""Function words of the languages of northern and eastern Europe, written for this project.

Spelled as `.words.tokenise` spells them.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["EUROPE"]

_RUSSIAN = """
а без более больше будем будет будете будешь буду будут будучи бы был была были было быть в вам
вами вас ваш ваша ваше ваши ведь весь во вот впрочем все всё всегда всего всей всем всеми всему
всех всю вся вы где да даже два для до другая другие других другого другое другой другом его ее её
ей ему если есть еще ещё же за здесь и из изо или им ими иногда их к каждая каждого каждой каждом
каждый как какая какие какой какого когда конечно которая которого которое которой котором который
которому которую которые которых которым кроме кто куда ко ли либо лишь лучше между меня мне мной
много может можно мой моя моё мое мои моего моей моих мы на над надо нам нами нас наш наша наше
наши не него нее неё ней некоторые нельзя нем нём нет нею ни нибудь никогда ним ними них ничего но
ну нужен нужна нужно о об оба обо однако он она они оно опять от очень ото перед по под после потом
потому почти почему поэтому при про просто раз разве с сам сама сами само самого самой самый свой
своя свое своё свои своего своей своих своим свою себе себя сейчас со совсем так такая такие такого
такое такой также таким таких там тебе тебя тем теми теперь тех то тобой тогда того тоже той только
том тому тот тою ту тут ты у уж уже хотя чего чей чем через что чтоб чтобы чуть эта эти этим этими
этих это этого этой этом этому этот эту я является являются
"""

_UKRAINIAN = """
а аби або адже але багато без би б був була були було бути в вам вами вас ваш ваша ваше ваші весь
вже ви від він вона вони воно все всього всіх всім всі всю вся втім де деякі для до дуже є з за
завжди замість зараз зі зовсім й його йому її їй їм їх їхній іноді інша інше інший інші інших кожен
кожна кожного кожної коли крім куди ледь лише ж же між мене мені ми мій моя моє мої можна може
можуть на навіть навіщо над нам нами нас наш наша наше наші не неї ним ними них ні ніж ніколи
нічого ну о об однак ось от перед під після по поза потім проте про при разом сам сама саме самі
свій своя своє свої свого своєї своїх себе собі та так така таке такий такі також там твій твоя
тебе тепер ти тим тих тільки то тобі тобто того той тому треба тут у хоч хоча хто це цей цим цих
цього цьому цієї цій ця ці цю через чи чим чого чому що щоб щось як яка яке який якого якої яких
якій які якщо я
"""

_POLISH = """
a aby albo ale ani aż bardziej bardzo bez bo bowiem by być był była było były będą będzie będę
chociaż choć ci cię co coś czego czy czyli czym dla dlaczego dlatego do dobrze dokąd dwa gdy gdyby
gdyż gdzie go i ich ile im inna inne innego innej inny innych iż ja jak jaka jakaś jaki jakie jakiś
jako je jeden jedna jednak jedno jego jej jemu jest jestem jesteśmy jeszcze jeśli jeżeli już ją
każda każde każdego każdy kiedy kilka kto która które którego której którą których który którym
którzy ku lub ma mają mam mamy mi między mimo mnie mną mogą moja moje może można mój mu musi my na
nad nam nami nas nasz nasza nasze nawet nią nic nich nie niech niej niego nigdy nim nimi niż no o
obok od ona oni on ono one oraz po pod podczas ponad ponieważ poza przecież przed przede przez przy
raz razie również są się sobie sobą sposób swoich swoje swój swoją swojej ta tak taka taki takich
takie także tam te tego tej temu ten też to tobie tobą trzeba tu tutaj twoja twoje twój ty tych
tylko tym tymi w wam was wasz we według wiele wielu właśnie więc wszyscy wszystkich wszystkie
wszystko wy z za zaś zawsze ze znowu że żaden żadna żadne żeby
"""

_CZECH = """
a aby aj ale ani ano asi až během bez bude budeme budete budou budu by byl byla byli bylo byly být
bych bychom byste co což cz či další do dokud dnes ho i já jak jaká jaké jaký jako je jeden jedna
jedné jednou jeho jej její jejich jemu jen jenom ještě jestli jestliže ji jí jich jim jimi jinak
jiné jiný již jsem jsi jsme jsou jste k kam kde kdo když kdyby ke které kteří kterou která který
kterého kterém kterých kterým ku ma má mají máme mě měl měla mezi mi mně mnou moc mohl mohou moje
můj můžete může my na nad nade nám námi nás náš naše naši ne nebo nebyl nebyla nech něco některé
některý nej není než nic nich ní ním nimi no ně od ode on ona oni ono ony pak po pod podle pokud
potom pouze pro proč proto protože před přede přes přesto při s se sebe si sice skoro snad spolu
stále sám své svého svém svou svůj svých svým ta tak také takže tam tato te tě tebe tedy ten tento
této tím tímto to tobě toho tohoto tom tomto tomu toto tu tuto tvůj ty tyto u už v vám vámi vás váš
vaše ve však všechen všechno všech všichni všem více vlastně vy vždy z za zatímco zda zde ze že
"""

_SWEDISH = """
alla allt alltid andra annan annat att av bara bland blev bli blir blivit borde både då de dem den
denna dennes deras dess dessa det detta dig din dina ditt dit du där därför efter eftersom eller en
er era ert ett fanns finns flera fram från få får fick för före genom gör gjorde göra ha hade han
hans har hela henne hennes hon honom hur här i icke igen in inga ingen ingenting inget innan inom
inte ja jag ju kan kanske kom kommer kunde kunna man med medan mellan men mer mera mest mig min
mina mitt mot mycket måste många ned nej ni nog nu någon något några när och också olika om oss på
redan samma sedan sig sin sina sitt ska skall skulle som så sådan sådana sådant till tillsammans
trots under upp ur ut utan utom vad var vara varför varit varje vars vart vem vems vi vid vilka
vilken vilket vill ville väl vår våra vårt än ännu är även åt över
"""

_DANISH = """
ad af aldrig alle allerede alt altid anden andet andre at bare begge blandt blev blive bliver bør
da de deg dem den denne der deres derfor det dette dig din dine disse dit dog du efter eftersom
eller en end endnu er et flere for fordi forrige fra få får fik før gennem gjorde gør gøre ham han
hans har have havde hel hele hende hendes her hos hun hvad hver hvem hvilke hvilken hvilket hvis
hvor hvordan hvorfor hvornår i igen ikke imod ind ingen intet ja jeg jer jeres jo kan kom kommer
kun kunne lige man mange med mellem men mens mere mest mig min mindre mine mit mod måske måtte må
nej ned ni noget nogen nogle nok nu når og også om op os over på samme samt sammen selv selvom sig
sin sine sit skal skulle som stadig så sådan siden til ud uden under var ved vi vil ville vor vore
vores være været
"""

_NORWEGIAN = """
alle allerede alltid alt andre annen annet at av bare begge ble blant bli blir blitt både da de deg
dem den denne der dere deres derfor det dette din dine disse ditt du eller en enda enn er et ett
etter fikk flere for fordi fra få får før først gjennom gjorde gjør gjøre ha hadde ham han hans har
hele henne hennes her hos hun hva hvem hver hvilke hvilken hvilket hvis hvor hvordan hvorfor i
igjen ikke imot ingen ingenting inn innen ja jeg kan kanskje kom kommer kun kunne man mange med meg
mellom men mens mer mest min mindre mine mitt mot mye må måtte ned nei noe noen nok nå når og også
om opp oss over på samme sammen seg selv selvom siden sin sine sitt skal skulle slik slike som så
sånn til tross under uten var ved vi vil ville vår våre vårt være vært eg ein eit ikkje frå hjå
korleis kva kven kvifor me nokon noko vere vore
"""

_FINNISH = """
aina ainakin ainoastaan alla edellä edes ei eivät eli emme en enemmän eniten ennen entä entäs
erittäin esimerkiksi et että ette etenkin he heidän heidät heille heitä hyvin hän häneen hänelle
hänen häntä häneltä ihan ilman itse itseään ja jo joita joihin joiden joilla joissa joista joka
jokainen joko jolla jolle jollei jolloin jonka joku jokin jos joskus jossa josta jota jotka jotta
jälkeen kaikki kaikkia kaikkien kanssa kautta keitä ken kenen kerran keskellä koko kohti koska
koskaan kuin kuinka kuitenkaan kuitenkin kuka kun kunnes kyllä lisäksi luona lähes me meidän meidät
meille meillä meitä mielestä miksi mikä mikään millä millainen milloin minkä minua minulla minulle
minun minut minä missä mistä mitkä mitä mitään molemmat mukaan mukana muu muun muut muuta mutta
myös myöskin ne niiden niille niin niissä niistä niitä no noin nuo nyt näiden näille näin näissä
näistä näitä nämä ohi oikein ole olemme olen olet olette oli olimme olin olisi olisivat olivat olla
olleet ollut on oma omaa oman ovat paitsi paljon pitäisi pitää päällä riippuen saada se seassa sekä
sen siellä siihen siinä siitä sillä silloin sinun sinä sitten sitä suuri taas tai takia te teidän
teitä tietenkin toki toinen toisen toista tuo tuon tuota tähän täällä tämä tämän tässä tästä tätä
vaan vai vaikka varten vasta vastaan vielä voi voidaan voisi voivat vuoksi yhdessä yksi yli
"""

_HUNGARIAN = """
a abban ad aki akik akit akkor ahhoz ahogy ahol alatt amely amelyek amelyet amelyben amelynek ami
amikor amit amíg annak arra arról az azért azok azokat azon azonban azt aztán azután azzal bár be
benne biztos csak de e eddig egész egy egyes egyik egyéb egyre el ellen elé elég előtt én éppen
ennek erre erről és ez ezek ezeket ezen ezért ezt ezzel fel felé ha hanem hát hiszen hogy hogyan
hol ide igen így ilyen illetve immár is ismét itt jól kell kellett keresztül ki kívül kik kit
közben között közül külön le legalább legyen lehet lenne lenni lesz lett magát maga majd már más
másik meg még mellett mely melyek mert mi miatt mielőtt miért míg mikor milyen minden mindenki
mindent mindig mint mintha mit mivel most nagyon ne nekem neki nekik nekünk nélkül nem nincs
nincsen olyan ott össze ő ők őket pedig például s saját se sem semmi sok sokkal soha számára
szemben szerint szinte tehát teljesen te ti tovább továbbá több úgy ugyan ugyanis után utána vagy
vagyis vagyok vala valaki valami valamint való van vannak vele velem vissza viszont volna volt
voltak voltam által általában át új újra
"""

_ROMANIAN = """
a abia acea aceasta această aceea aceeași acei aceia acel acela acelasi același acele acelea acest
acesta aceste acestea acestei acestor acestui acești aceștia acolo acum adică ai aia al ale alea
alt alta altă alte alți altul am ani aproape apoi ar are as aș asemenea asta astea astfel așa atât
atâta atunci au avea aveam avem aveți azi ba bine c că căci când cam care căreia cărora căruia cât
câte câți câtva ce cea ceea cei cel cele celor ceva chiar ci cine cineva cu cum cumva da dacă dar
dată datorită de deci deja deoarece departe deși despre din dintre doar după ea ei el ele eram este
ești eu fără face fel fi fie fiecare fiind foarte fost i iar îi îl îmi împotriva în înainte încă
încât între întru îți își la le li lor lui m mă mai mâine mea mei mele mereu meu mi mie mine mult
multă multe mulți ne nici nicio niște noastră noastre noi nostru noștri nu o oare ori oricare orice
oricând oricum p pâna până pe pentru peste poate pot prea prin printr puțin s sa să săi sale sau
său se și sînt sunt suntem sunteți spre sub sus ta tale tău te ți ție tot toată toate toți totuși
tu tuturor un una unde unei uneori unii unor unora unui unul vă vi voastră voi vom vor vostru vreo
vreun
"""

_TURKISH = """
acaba ama ancak artık aslında ayrıca az bana bazen bazı belki ben benden beni benim beri bile bir
biraz biri birkaç birçok birisi biz bizden bize bizi bizim böyle böylece bu buna bunda bundan
bunlar bunları bunların bunu bunun burada bütün çok çünkü da daha dahi de defa değil diğer diye
dolayı dolayısıyla eden eder edilen edildi ediyor en etmek etti ettiği fakat gibi göre halen hangi
hatta hem henüz hep hepsi her herhangi herkes hiç hiçbir için içinde ile ilgili ise işte itibaren
kadar karşın kendi kendine kendini ki kim kimse lakin madem mı mi mu mü nasıl ne neden nedenle
nerede nereye niye niçin o olan olarak oldu olduğu olduğunu olduğundan olması olmak olmadı olmayan
olsa olsun olup olur ona ondan onlar onlardan onları onların onu onun orada oysa öyle pek rağmen
sadece sana sanki sen senden seni senin siz sizden size sizi sizin son sonra şekilde şey şimdi
şöyle şu şuna şunu tarafından tüm üzere üzerinde var ve veya ya yani yapılan yerine yine yok yoksa
zaten
"""

_GREEK = """
αλλά αλλη άλλα άλλες άλλη άλλο άλλοι άλλος άλλων αν ανά ανάμεσα αντί από απ αρκετά ας αυτά αυτές
αυτή αυτήν αυτής αυτό αυτοί αυτόν αυτός αυτού αυτούς αυτών αφού βέβαια για γι γιατί δε δεν δηλαδή
διότι δικό δικός εάν εγώ εδώ είμαι είμαστε είναι είσαι είστε είτε είχα είχαν είχε εκεί εκείνα
εκείνη εκείνο εκείνοι εκείνος εκτός εμάς εμείς εν ενώ ένα έναν ένας ενός έξω επειδή επί επίσης εσάς
εσείς εσύ έτσι έχει έχεις έχετε έχουμε έχουν έχω έως η ή ήδη ήμουν ήταν θα ίδια ίδιο ίδιος ίσως
κάθε καθώς και κάποια κάποιες κάποιο κάποιοι κάποιος κάποιου κάτι κάτω κατά κι λίγο λοιπόν μα μαζί
μας με μέσα μέσω μέχρι μετά μεταξύ μη μην μήπως μια μία μιας μόνο μου μπορεί μπορούν να ναι ξανά ο
οι όλα όλες όλη όλο όλοι όλος όλους όλων όμως όπου όποιος όποια όπως όσα όσο όσοι όταν ότι ούτε όχι
πάλι πάνω πάντα παρά πια πιο πλέον ποια ποιο ποιος ποιοι πολλά πολλές πολλοί πολύ ποτέ πότε που πού
πρέπει πριν προς πρώτα πως πώς σαν σας σε στα στη στην στις στο στον στους στων συ σχεδόν τα τέτοια
τέτοιο τέτοιος τη την της τι τίποτα τις το τον τόσο τότε του τους τού των τώρα υπό χωρίς ως ώστε
"""

EUROPE: Mapping[str, frozenset[str]] = {
    "ru": frozenset(_RUSSIAN.split()),
    "uk": frozenset(_UKRAINIAN.split()),
    "pl": frozenset(_POLISH.split()),
    "cs": frozenset(_CZECH.split()),
    "sv": frozenset(_SWEDISH.split()),
    "da": frozenset(_DANISH.split()),
    "no": frozenset(_NORWEGIAN.split()),
    "fi": frozenset(_FINNISH.split()),
    "hu": frozenset(_HUNGARIAN.split()),
    "ro": frozenset(_ROMANIAN.split()),
    "tr": frozenset(_TURKISH.split()),
    "el": frozenset(_GREEK.split()),
}
"""Language codes to function words."""
