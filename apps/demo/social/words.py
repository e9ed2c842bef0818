"""What people write about shops, in English: a title, an opening, what they saw, and a last word."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Words:
    titles: tuple[str, ...]
    details: tuple[str, ...]


OPENINGS = (
    "Came by on a rainy Tuesday with no plan at all.",
    "A friend had been going on about this place for months.",
    "Third visit this year, so it is time to write something down.",
    "We walked past twice before we found the door.",
    "I had an hour between two meetings in {area}.",
    "My parents were in town, and they are hard to please.",
    "Found it on the map, stayed for the people.",
    "It was half past nine, and I was not ready to go home.",
    "We live around the corner and had never been inside.",
    "Saturday, four of us, nobody had booked.",
    "I only meant to look.",
    "My colleague's birthday, so somebody had to choose.",
    "After a week like that I needed something good.",
    "I read the other notes first, and they are right.",
    "Went alone, which is how I like it.",
    "The bus stops right in front, no excuse any more.",
)
CLOSINGS = (
    "About {price} a person, and worth it.",
    "Next time I bring my sister.",
    "Book ahead at the weekend.",
    "Go early; by seven there is a queue down the stairs.",
    "If you are anywhere near {area}, go.",
    "I have already told too many people.",
    "Not the cheapest in {area}, and I don't mind.",
    "They remembered my name at the door.",
    "Five minutes from the metro, by the way.",
    "I will be back before the month is over.",
    "Small place, big heart.",
    "Ask for the table by the window.",
    "Cash, card, phone: all fine.",
    "The kind of place a street needs.",
    "Went home slowly, the long way round.",
    "That's my evening sorted for the winter.",
)
GRUMBLES = (
    "We waited forty minutes although we had booked, and nobody said a word about it.",
    "Good, but louder than I can take after work.",
    "The price went up since last year, the portion did not.",
    "Friendly people, tired room.",
    "It was fine. I expected more after all the praise.",
)
ENGLISH = {
    "food": Words(
        (
            "Broth that forgives a bad week", "The dumplings are gone by eight",
            "Nine dishes and not one wrong",
            "Best seat: the one by the kitchen", "Pepper first, talk later", "I dream about this duck",
            "Hot pot weather, finally", "A breakfast worth the alarm", "Noodles pulled while you watch",
            "The fish that made my father quiet", "Cheap, loud, perfect", "They still make it by hand",
            "Skewers and a long evening", "Tea for two, cake for four", "The window table, at last",
            "Spicy enough to hear colours", "Grandmother approved", "A lunch that took three hours",
            "Order the aubergine. Trust me.", "Soup dumplings without the queue",
            "Where the cooks go to eat",
            "One bowl, no regrets", "The crispy bits at the bottom", "Late supper, warm lights",
            "Twelve people, one round table", "The sauce is the secret",
        ),
        (
            "The broth is clear and deep, with a slice of something smoky on top.",
            "Noodles with a bite, cut thicker than usual, and scallions cut that minute.",
            "We had the steamed fish: ginger, a little soy, nothing to hide behind.",
            "Dumplings thin enough to read through, and they hold until they reach your spoon.",
            "The red side of the pot is honest about what it is. Take the white one for the mushrooms.",
            "Everything comes when it is ready, so order twice rather than too much.",
            "The cold cucumber is the dish I would steal the recipe of.",
            "Rice from the north, and they refill it before you ask.",
            "The egg is soft in the middle, as it should be and almost never is.",
            "Skewers straight from the coals; the cumin gets into your coat, and that is fine.",
            "They bake the little cakes in the morning. The yellow ones are lemon.",
            "Tea comes with the table and is better than what I have at home.",
            "You can watch the kitchen through the hatch. Nobody shouts.",
        ),
    ),
    "ktv": Words(
        (
            "We sang until the last metro", "Good microphones, bad voices",
            "A room for eight, we were eleven",
            "The song list goes back to my mother's youth", "No echo, finally",
            "Tuesday is the night to go",
            "Sofa, neon, no neighbours", "Six hours went like one", "The duet nobody asked for",
        ),
        (
            "The sound is clean, and you can turn the echo off, which almost nobody knows.",
            "New songs come every week; the old ones have the original videos.",
            "Fruit plate included, and it is a serious plate.",
            "The small room is really for four, take the middle one.",
            "The mirror ball turns faster when you hit the note. We checked.",
            "They gave us twenty minutes more because nobody was waiting.",
            "Two microphones that weigh something, and a third for the brave one.",
        ),
    ),
    "hair": Words(
        (
            "She listened before she cut", "A fringe I don't regret", "Colour that grew out well",
            "The quietest hour of my week", "Short, at last", "He talked me out of it, and was right",
            "Copper for the autumn", "A cut that dries by itself", "No upselling, just scissors",
            "The mirror told the truth", "From hip to shoulder in an hour", "My barber for life",
        ),
        (
            "She asked how I dry it at home before she picked up the scissors.",
            "The wash alone is worth the way: ten minutes, warm towel, no talk.",
            "They showed me three shades on my own hair and not on a card.",
            "Six weeks later it still falls the way it should.",
            "He said no to what I had in mind, showed me why, and did something better.",
            "Tea, a magazine from this year, and nobody tried to sell me a shampoo.",
            "The chairs face the window, so you see the street go by.",
            "Colour and cut took two hours, as they had said on the phone.",
        ),
    ),
    "massage": Words(
        (
            "My shoulders are back", "An hour undoes a month", "Feet first, then sleep",
            "Strong hands, soft voice", "I fell asleep, twice", "He found the knot at once",
            "The wooden tub with the petals", "Better than the gym, honestly", "After the long flight",
            "Ninety minutes, no phone", "Two for the price of patience", "Lie down, says the sign",
        ),
        (
            "You get a tub of hot water with petals first, and twenty minutes of nothing.",
            "He found the place under the left shoulder before I had said a word.",
            "Tell them when it is too strong; they ask, and they mean it.",
            "The towels are warm. It is a small thing, and it is everything.",
            "Ginger tea at the end, and nobody hurries you out.",
            "The rooms are dim and smell of wood.",
            "I could turn my head both ways on the bus home.",
            "Say 'medium' if you are new. Their 'strong' is for builders.",
        ),
    ),
    "fitness": Words(
        (
            "Six in the morning, and I liked it", "The green route finally fell", "A pool with empty lanes",
            "The trainer who looks at your knees", "Day pass, no speech", "Forty lengths before work",
            "Chalk, tape, friends", "First pull-up at thirty-four", "Boxing is mostly feet",
            "No mirrors in the yoga room", "Weights in the right order, a miracle", "Sore and happy",
        ),
        (
            "They set new routes every other week; the blue ones are longer than they look.",
            "The water is 27 degrees, and before eight you have a lane to yourself.",
            "The trainer fixed my squat in two sentences.",
            "Everything is put back where it belongs, even the small plates.",
            "Showers hot, lockers with your own code, hair dryers that dry hair.",
            "The floor is sprung, my knees noticed.",
            "Beginners get the same attention as the loud ones by the rack.",
            "You pay for the day and nobody asks for your bank account.",
        ),
    ),
    "spa": Words(
        (
            "Steam, stone, silence", "I forgot what day it was", "The pool under the trees",
            "An afternoon without a phone", "Rain outside, hot water inside", "My skin says thank you",
            "A present to myself", "The lantern path at dusk",
        ),
        (
            "The outer pool is the one: hot water, cold air, a lantern and nobody talking.",
            "They put the stones on your back one by one and wait with each.",
            "Herbs in the steam, and a bowl of cold plums when you come out.",
            "Robes that are thick, slippers that fit.",
            "You hand over your phone at the door. After ten minutes you stop reaching for it.",
            "The orchid on the counter is real. I asked.",
            "Three hours felt short.",
        ),
    ),
    "kids": Words(
        (
            "She did not want to leave. At all.", "The slide is for grown-ups too", "Two hours of peace",
            "Clay on every sleeve", "Rainy Sunday, solved", "Balls in places I find days later",
            "He made a bowl, sort of", "The corner for the very small", "Birthday for nine, nobody cried",
            "Socks on, shoes off, gone", "They read the book three times", "Better than the mall",
        ),
        (
            "The ball pit is cleaned every night; they show you the machine if you ask.",
            "A fenced corner for those who can't walk yet, and chairs for those who can't stand any more.",
            "Somebody is always watching the top of the slide.",
            "The clay is fired on Thursdays, and you fetch the bowl a week later.",
            "Coffee for parents that is actually coffee.",
            "The blocks are wood, and there are enough of them for everybody.",
            "Bring spare socks; they sell some, with bears on them.",
            "My daughter made two friends whose names she has forgotten.",
        ),
    ),
    "bar": Words(
        (
            "One more, then the last metro", "The house drink has osmanthus in it",
            "Twelve taps, one long table",
            "Jazz on Thursdays, quiet on Mondays", "He asked what I like, not what I want",
            "The stout. Just the stout.",
            "A bar where you can talk", "Bottles I had never seen", "Sour, cold, right",
            "The stool by the wall",
            "Not a word about whisky regions", "Late and warm",
        ),
        (
            "Tell them something sour or something smoky, and let them do it.",
            "The ice is clear and cut by hand, and it lasts as long as the drink.",
            "The pale one from the third tap tastes of grapefruit and good decisions.",
            "There is a band in the corner, no stage, no microphone.",
            "Nuts come by themselves, and they are warm.",
            "No one looks at you when you order one glass and open a book.",
            "They pour half glasses, so you can try four.",
            "The light is low enough for everybody to look well.",
        ),
    ),
    "party": Words(
        (
            "Fourteen people, one kitchen, no fights", "The escape room beat us by a minute",
            "We brought the cake",
            "Board games until four", "A birthday without a clean-up", "Balloons included",
            "Billiards decides who cooks",
            "The detective was my boss",
        ),
        (
            "You bring the people and the cake; the balloons are there, and so are the plates.",
            "The kitchen has everything, even a garlic press.",
            "The last lock took us forty minutes. It was the clock, it is always the clock.",
            "Two hundred games on the wall, and somebody who explains them in three sentences.",
            "Neighbours are far away; we tried.",
            "They clean up after you. Let me say that again.",
            "Sofas for ten, mattresses for those who lose.",
        ),
    ),
    "nails": Words(
        (
            "Three weeks and not one chip", "The red I was looking for", "Tiny persimmons on every finger",
            "She painted the lake on my thumb", "Short nails deserve love too", "Matte, and I am a convert",
            "Bring a picture, or trust her", "One hour, ten small paintings", "Navy blue for the office",
            "Two chairs, one quiet radio", "Nails for my sister's wedding", "Worth the stairs",
        ),
        (
            "She files one way only and takes her time with the skin.",
            "Two hundred colours on the wall, and she knew which one I meant.",
            "Three weeks later I had to look closely to see that they had grown.",
            "The brush is finer than an eyelash; the flowers have leaves.",
            "Tools come out of a sealed bag, opened in front of you.",
            "They warm the oil before they use it.",
            "There are only two chairs, so it never gets loud.",
            "She said which shapes don't suit me. I needed that.",
        ),
    ),
}  # fmt: skip
