"""English titles of notes by theme (note_texts.theme_of_shop); the theme also chooses the pictures."""

TITLES = {
    "food": (
        "Nine dishes and not one wrong", "The door without a sign", "Cheap, loud, perfect",
        "The window table, at last",
        "Grandmother approved", "A lunch that took three hours", "Where the cooks go to eat",
        "Late supper, warm lights",
        "Twelve people, one round table", "The sauce is the secret", "Order the aubergine. Trust me.",
    ),
    "noodles": (
        "Broth that forgives a bad week", "Noodles pulled while you watch", "One bowl, no regrets",
        "Best seat: the one by the kitchen", "A breakfast worth the alarm", "Slow soup in a fast street",
    ),
    "congee": (
        "A bowl that asks nothing of you", "Breakfast with the whole street", "Ginger, rice, quiet",
        "Fried dough, dipped once",
    ),
    "dumplings": (
        "The dumplings are gone by eight", "Soup dumplings without the queue", "They still make it by hand",
        "Thin skin, full heart", "Two steamers, then two more", "Bite, sip, repeat",
    ),
    "hot_pot": (
        "Hot pot weather, finally", "Pepper first, talk later", "Spicy enough to hear colours",
        "The crispy bits at the bottom", "Four friends, two broths", "Steamed-up glasses",
    ),
    "tea": (
        "Tea for two, cake for four", "An afternoon in one pot", "The quiet end of the street",
        "Third pour is the best",
        "Read forty pages, drank five cups", "Longjing, and nothing else to do",
    ),
    "fish": (
        "The fish that made my father quiet", "Ginger, soy, done", "Straight from the tank, sorry",
        "A whole fish for two", "The sea is three hours away, and here", "Bones and all",
    ),
    "duck": (
        "I dream about this duck", "The skin cracks, then melts", "One bird, three courses",
        "He carves, we are silent",
    ),
    "grill": (
        "Skewers and a long evening", "Smoke in my coat, no regrets", "Cumin on everything",
        "Ten more of those, please",
        "The street side of happiness", "Charcoal knows",
    ),
    "bakery": (
        "The yellow ones are lemon", "Still warm at four o'clock", "I came for bread",
        "Twelve small reasons to stay",
        "Breakfast, second breakfast", "A box for the office, empty by the lift",
    ),
    "ktv": (
        "We sang until the last metro", "Good microphones, bad voices", "A room for eight, we were eleven",
        "The song list goes back to my mother's youth", "No echo, finally", "Tuesday is the night to go",
        "Sofa, neon, no neighbours", "Six hours went like one", "The duet nobody asked for",
    ),
    "hair": (
        "She listened before she cut", "A fringe I don't regret", "Colour that grew out well",
        "The quietest hour of my week", "Short, at last", "He talked me out of it, and was right",
        "Copper for the autumn", "A cut that dries by itself", "No upselling, just scissors",
        "The mirror told the truth",
        "From hip to shoulder in an hour", "My barber for life", "The wash alone is worth it",
        "Grey, and proud of it",
        "First perm since school", "He remembered the parting",
    ),
    "massage": (
        "My shoulders are back", "An hour undoes a month", "Feet first, then sleep",
        "Strong hands, soft voice",
        "I fell asleep, twice", "He found the knot at once", "Petals, hot water, silence",
        "Better than the gym, honestly",
        "After the long flight", "Ninety minutes, no phone", "Two for the price of patience",
        "Lie down, says the sign",
        "The towels are warm", "My desk owes me this", "Ask for number seven",
        "Walked in crooked, out straight",
    ),
    "fitness": (
        "Six in the morning, and I liked it", "The trainer who looks at your knees", "Day pass, no speech",
        "First pull-up at thirty-four", "The rack at noon is empty", "Weights in the right order, a miracle",
        "Sore and happy",
        "No contract, no mirror talk", "The small plates are where they belong", "Forty minutes are enough",
    ),
    "boxing": (
        "Boxing is mostly feet", "Three minutes are long", "Hit something, feel better",
        "Wraps, gloves, bell",
    ),
    "yoga": (
        "Ten minutes lying still", "I can reach my toes again", "The quietest room of my week",
        "Breathe in, she said, and I did",
    ),
    "badminton": (
        "A sprung floor and good lamps", "They needed a fourth", "Feathers everywhere, happy",
        "My backhand exists",
    ),
    "climbing": (
        "The green route finally fell", "Chalk, tape, friends", "Blue is longer than it looks",
        "My forearms are noodles",
        "New routes every other week",
    ),
    "pool": (
        "A pool with empty lanes", "Forty lengths before work", "The lane at six is mine",
        "Warm water, cold towel",
        "Learned to breathe at forty",
    ),
    "spa": (
        "Steam, stone, silence", "I forgot what day it was", "A present to myself",
        "An afternoon without a phone", "Robe on, world off",
    ),
    "hot_spring": (
        "The basin under the trees", "Rain outside, hot water inside", "The lantern path at dusk",
        "A towel on the head and no thoughts in it",
    ),
    "skin": (
        "My skin says thank you", "Seventy minutes, no sales talk", "She told me to buy nothing",
        "Asleep under a cold mask",
    ),
    "kids": (
        "She did not want to leave. At all.", "The slide is for grown-ups too", "Two hours of peace",
        "Rainy Sunday, solved", "Balls in places I find days later", "He built a tower, and then a war",
        "The corner for the very small", "Birthday for nine, nobody cried", "Socks on, shoes off, gone",
        "One more time, Mama", "Better than the mall", "Nap guaranteed afterwards",
        "Four-year-old's verdict: again", "Coffee for us, chaos for them", "A slide of one's own",
        "Lost: one sock",
    ),
    "trampoline": (
        "Twenty beds and a pit of foam", "Up, down, asleep by six", "Grown-ups bounce too, carefully",
        "Lost: one sock, found: ours and three more",
    ),
    "books": (
        "They read the book three times", "The dragon was a soprano", "Come at three for the story",
        "Shelves at the right height",
    ),
    "clay": (
        "My cup leans, and I love it", "Wet to the elbows", "A bowl with my daughter's thumb in it",
        "Fired on Thursday",
    ),
    "bar": (
        "One more, then the last metro", "The house drink has osmanthus in it",
        "Jazz on Thursdays, quiet on Mondays",
        "He asked what I like, not what I want", "A bar where you can talk", "Bottles I had never seen",
        "Sour, cold, right", "The stool by the wall", "Not a word about whisky regions", "Late and warm",
        "Clear ice, slow evening", "A book and a glass",
    ),
    "beer": (
        "Twelve taps, one long table", "The stout. Just the stout.", "Third tap from the left",
        "Half glasses, so you can try four", "Grapefruit and good decisions",
    ),
    "party": (
        "Fourteen people, one kitchen, no fights", "We brought the cake", "A birthday without a clean-up",
        "Balloons included", "Billiards decides who cooks", "Thirty, and still up at four",
        "The neighbours are far away",
    ),
    "games": (
        "Board games until four", "Explained in three sentences", "Two hundred boxes, one evening",
        "The rules fit on a napkin", "They kept our board for a week",
    ),
    "escape": (
        "The escape room beat us by a minute", "The detective was my boss",
        "It was the clock. It is always the clock.", "The wall that wasn't one",
    ),
    "nails": (
        "Three weeks and not one chip", "The red I was looking for", "Short nails deserve love too",
        "She painted the lake on my thumb", "Matte, and I am a convert", "Bring a picture, or trust her",
        "One hour, ten small paintings", "Navy blue for the office", "Two chairs, one quiet radio",
        "Nails for my sister's wedding", "Worth the stairs", "Two hundred colours on one wall",
        "Almond, she said, and was right",
        "My first gel, not my last", "Tiny persimmons on every finger", "An hour nobody can reach me",
    ),
}  # fmt: skip
