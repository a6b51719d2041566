"""Plans of small problems, and how a teacher would explain them."""

from typing import NamedTuple


class Case(NamedTuple):
    """A question with its options, a plan as an expression, and the sentences."""

    question: str
    expression: str
    options: tuple[str, ...]
    sentences: tuple[str, ...]


CASES = (
    Case(
        "A train 60 m long runs at 45 km/h. How long does it take over a bridge of 40 m?",
        "(n1 + n3) / (n2 * 1000 / 3600)",
        ("5 s", "8 s"),
        (
            "Together: 60 m + 40 m = 100 m.",
            "In m/s: 45 km/h = 45 × 1000 ÷ 3600 = 12.5 m/s.",
            "Finally, the time is the distance divided by the speed: 100 m ÷ 12.5 m/s = 8 seconds.",
            "So the time is 8 s, which is option B.",
        ),
    ),
    Case(
        "85 hats cost $6 each. What is the total cost?",
        "n1 * n2",
        ("$510", "$91"),
        (
            "We have 85 × 6 = 510.",
            "So the total cost is $510, which is option A.",
        ),
    ),
    Case(
        "What is 15 % of $80?",
        "percent(n1, n2)",
        ("$12", "$15"),
        (
            "We have 15% of $80 = $12.",
            "So the answer is $12, which is option A.",
        ),
    ),
    Case(
        "A shop gives 15 % off a price of $80. What is the new price?",
        "n2 - n1 / 100 * n2",
        ("$68", "$72"),
        (
            "First, 15% of $80 = $12.",
            "Then the difference is $80 − $12 = $68.",
            "So the new price is $68, which is option A.",
        ),
    ),
    Case(
        "A pipe fills a tank in 20 minutes, another in 30. In how many minutes do both?",
        "1 / (1 / n1 + 1 / n2)",
        ("12", "15"),
        (
            "First, 1 ÷ 20 = 1/20.",
            "Next, 1 ÷ 30 = 1/30.",
            "Then 1/20 + 1/30 = 1/12.",
            "Finally, 1 ÷ (1/12) = 12.",
            "So the number of minutes is 12, which is option A.",
        ),
    ),
    Case(
        "A man walks 12 km in 3 hours. What is his speed?",
        "n1 / n2",
        ("4 km/h", "5 km/h"),
        (
            "The speed is the distance divided by the time: 12 km ÷ 3 hours = 4 km/h.",
            "So the answer is 4 km/h, which is option A.",
        ),
    ),
    Case(
        "A car runs at 60 km/h for 2.5 hours. How far does it go?",
        "n1 * n2",
        ("150 km", "120 km"),
        (
            "The distance is the speed times the time: 60 km/h × 2.5 hours = 150 km.",
            "So the distance is 150 km, which is option A.",
        ),
    ),
    Case(
        "Ann has 12 apples and 7 pears. How many fruits does she have?",
        "n1 + n2",
        ("19", "5"),
        (
            "We have 12 + 7 = 19.",
            "So the number of fruits is 19, which is option A.",
        ),
    ),
    Case(
        "Tom had 48 clips and sold 20 of them. How many clips are left?",
        "n1 - n2",
        ("28", "68"),
        (
            "We have 48 − 20 = 28.",
            "So the number of clips is 28, which is option A.",
        ),
    ),
    Case(
        "There are 120 slices, 10 slices a cake. How many cakes are there?",
        "n1 / n2",
        ("12", "9"),
        (
            "We have 120 slices ÷ 10 slices = 12.",
            "So the number of cakes is 12, which is option A.",
        ),
    ),
    Case(
        "A rectangle is 20 m long and 8 m wide. What is its area?",
        "n1 * n2",
        ("160 m²", "56 m²"),
        (
            "We have 20 m × 8 m = 160 m².",
            "So the answer is 160 m², which is option A.",
        ),
    ),
    Case(
        "How many ways are there to choose 2 of 52 cards?",
        "choose(n2, n1)",
        ("1326", "2652"),
        (
            "There are 52C2 = 1326 ways to choose 2 out of 52.",
            "So the number of ways is 1326, which is option A.",
        ),
    ),
    Case(
        "Two cards are drawn from 52. What is the probability that both are kings, of 4 kings?",
        "choose(n3, 2) / choose(n2, 2)",
        ("1/221", "1/13"),
        (
            "First, there are 4C2 = 6 ways to choose 2 out of 4.",
            "Next, there are 52C2 = 1326 ways to choose 2 out of 52.",
            "Finally, 6 ÷ 1326 = 1/221.",
            "So the probability is 1/221, which is option A.",
        ),
    ),
    Case(
        "Of 1/6 and 1/3 of a wall, how much is painted in all?",
        "n1 + n2",
        ("1/2", "1/4"),
        (
            "We have 1/6 + 1/3 = 1/2.",
            "So the answer is 1/2, which is option A.",
        ),
    ),
    Case(
        "35 m are run in 16/7 s. What is the speed?",
        "n1 / n2",
        ("15.3125", "20"),
        (
            "The speed is the distance divided by the time: 35 m ÷ (16/7 s) = 245/16 m/s.",
            "So the speed is 245/16 = 15.3125 m/s, which is option A.",
        ),
    ),
    Case(
        "What is the circumference of a circle with a radius of 7 cm?",
        "2 * n1 * degrees_to_radians(180)",
        ("44 cm", "14 cm"),
        (
            "We have 2 × 7 × π ≈ 43.9823 ≈ 44.",
            "Rounded to a whole number, the answer is 44 cm, which is option A.",
        ),
    ),
    Case(
        "The sides are 5 cm and 7 cm. What is the length of the diagonal?",
        "sqrt(n1**2 + n2**2)",
        ("8.6 cm", "12 cm"),
        (
            "First, 5² = 25.",
            "Next, 7² = 49.",
            "Then 25 + 49 = 74.",
            "Finally, √74 ≈ 8.6023 ≈ 8.6.",
            "Rounded to one decimal, the length of the diagonal is 8.6 cm, which is option A.",
        ),
    ),
    Case(
        "The average of 3 numbers is 26. What is their sum?",
        "n1 * n2",
        ("78", "29"),
        (
            "We have 3 × 26 = 78.",
            "So the answer is 78, which is option A.",
        ),
    ),
    Case(
        "A number times 2, and 30 more, is 150. What is the number?",
        "solve(n1*x + n2, n3)",
        ("60", "75"),
        (
            "Let x be the unknown.",
            "We have 2x + 30 = 150, so x = 60.",
            "So the answer is 60, which is option A.",
        ),
    ),
    Case(
        "Two shares of 100 are 3 and 4. What is the smaller?",
        "n2 * n3 / (n3 + n4)",
        (),
        (
            "First, 100 × 3 = 300.",
            "Next, 3 + 4 = 7.",
            "Finally, 300 ÷ 7 = 300/7.",
            "So the answer is 300/7 ≈ 42.8571.",
        ),
    ),
    Case(
        "7 boys and 5 girls share 100 sweets. How many does each get, about?",
        "n3 / (n1 + n2)",
        ("8", "9"),
        (
            "First, 7 + 5 = 12.",
            "Then 100 ÷ 12 ≈ 8.3333 ≈ 8.",
            "Rounded to a whole number, the answer is 8, which is option A.",
        ),
    ),
    Case(
        "A price of $2.40 rises by 25 %. What is the new price?",
        "n1 * (100 + n2) / 100",
        ("$3", "$2.65"),
        (
            "First, 100% + 25% = 125%.",
            "Then 2.40 × 125 ÷ 100 = 3.",
            "So the new price is $3, which is option A.",
        ),
    ),
    Case(
        "What is the HCF of 12 and 18?",
        "gcd(n1, n2)",
        ("6", "3"),
        (
            "The greatest common divisor of 12 and 18 is 6.",
            "So the answer is 6, which is option A.",
        ),
    ),
    Case(
        "How many seconds are 2.5 hours?",
        "n1 * 3600",
        ("9000", "900"),
        (
            "In seconds: 2.5 hours = 2.5 × 3600 = 9000 seconds.",
            "So the number of seconds is 9000, which is option A.",
        ),
    ),
    Case(
        "Rs. 1,200 at 5 % for 3 years: what is the simple interest?",
        "n1 * n2 * n3 / 100",
        ("Rs. 180", "Rs. 60"),
        (
            "We have 1,200 × 5 × 3 ÷ 100 = 180.",
            "So the simple interest is Rs. 180, which is option A.",
        ),
    ),
    Case(
        "What percent of 80 is 28?",
        "n2 / n1 * 100",
        ("35 %", "28 %"),
        (
            "First, 28 ÷ 80 = 0.35.",
            "Then as a percentage, that is 0.35 × 100 = 35%.",
            "So the percentage is 35%, which is option A.",
        ),
    ),
    Case(
        "A temperature of 5 falls by 8. What is it?",
        "n1 - n2",
        ("-3", "3"),
        (
            "We have 5 − 8 = -3.",
            "So the answer is -3, which is option A.",
        ),
    ),
    Case(
        "If 6 kg cost $15, what do 10 kg cost?",
        "n2 / n1 * n3",
        ("$25", "$30"),
        (
            "First, $15 ÷ 6 kg = $2.50 per kg.",
            "Then $2.50 per kg × 10 kg = $25.",
            "So the answer is $25, which is option A.",
        ),
    ),
    Case(
        "Take 900 and 11.",
        "n1 / n2",
        ("81.82", "80"),
        (
            "We have 900 ÷ 11 ≈ 81.82.",
            "So the answer is about 81.82, which is option A.",
        ),
    ),
    Case(
        "Take 259 and 3.",
        "n1 / n2",
        ("86.3 %", "85 %"),
        (
            "We have 259 ÷ 3 ≈ 86.3333 ≈ 86.3.",
            "Rounded to one decimal, the answer is 86.3%, which is option A.",
        ),
    ),
    Case(
        "How many numbers can be formed from 5 digits in any order?",
        "factorial(n1)",
        ("120", "60"),
        (
            "We have 5! = 120.",
            "So the number of numbers is 120, which is option A.",
        ),
    ),
    Case(
        "What is the remainder when 75 is divided by 8?",
        "remainder(n1, n2)",
        ("3", "4"),
        (
            "The remainder of 75 divided by 8 is 3.",
            "So the remainder is 3, which is option A.",
        ),
    ),
    Case(
        "A boat goes at 12 km/h, the stream at 3 km/h. What is the speed downstream?",
        "n1 + n2",
        ("15 km/h", "9 km/h"),
        (
            "We have 12 km/h + 3 km/h = 15 km/h.",
            "So the speed downstream is 15 km/h, which is option A.",
        ),
    ),
    Case(
        "A man of 40 kg leaves 8 men, and one of 56 kg joins. What is the rise?",
        "(n3 - n1) / n2",
        ("2 kg", "3 kg"),
        (
            "First, the difference is 56 kg − 40 kg = 16 kg.",
            "For each man: 16 kg ÷ 8 men = 2 kg per man.",
            "So the answer is 2 kg, which is option A.",
        ),
    ),
    Case(
        "3/4 of 1,200 pupils are girls. How many girls are there?",
        "n1 * n2",
        ("900", "300"),
        (
            "We have 3/4 × 1,200 pupils = 900 pupils.",
            "So the number of girls is 900, which is option A.",
        ),
    ),
    Case(
        "A wheel turns 20 times a minute. How often in 1 hour?",
        "n1 * 60",
        (),
        (
            "We have 20 × 60 = 1200.",
            "So the answer is 1200.",
        ),
    ),
    Case(
        "100 and 3, shared.",
        "n1 / n2",
        (),
        (
            "We have 100 ÷ 3 = 100/3.",
            "So the answer is 100/3 ≈ 33.3333.",
        ),
    ),
    Case(
        "Sum of 4, 5 and 9?",
        "n1 + n2 + n3",
        ("18", "20"),
        (
            "We have 4 + 5 + 9 = 18.",
            "So the answer is 18, which is option A.",
        ),
    ),
    Case(
        "A shirt costs $20 and a hat $7.50. What do both cost?",
        "n1 + n2",
        ("$27.50", "$12.50"),
        (
            "Together: $20 + $7.50 = $27.50.",
            "So the answer is $27.50, which is option A.",
        ),
    ),
    Case(
        "If y exceeds x by 20%, then x is less than y by?",
        "n1 / (n1 + 100) * 100",
        ("16 2/3%", "18%"),
        (
            "First, 20% + 100% = 120%.",
            "Then as a percentage, that is 20 ÷ 120 × 100 = 50/3%.",
            "So the answer is 50/3, which is option A.",
        ),
    ),
    Case(
        "What is the compound interest on a sum of Rs. 20000 at 12% for a year?",
        "percent(n2, n1)",
        ("2400", "2300"),
        (
            "We have 12% of Rs. 20000 = Rs. 2400.",
            "So the answer is 2400, which is option A.",
        ),
    ),
    Case(
        "A car needs 2 seconds more for each km than at 450 km/h. At what speed does it go?",
        "3600 / (3600 / n2 + n1)",
        ("360", "350"),
        (
            "First, 3600 ÷ 450 = 8.",
            "Then 8 + 2 = 10.",
            "Finally, 3600 ÷ 10 = 360.",
            "So the speed is 360, which is option A.",
        ),
    ),
)
