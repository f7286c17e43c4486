from collections import defaultdict
from typing import Dict, List, Optional, Sequence, Tuple

from allennlp_coref_rc.annotations.sieve import function_words, nouns
from allennlp_coref_rc.annotations.sieve.lexicon import (
    FEMALE,
    GIVEN_NAMES,
    MALE,
    NEUTER,
    PERSON,
    PLURAL,
    PRONOUNS,
    SINGULAR,
    TITLES,
)
from allennlp_coref_rc.annotations.sieve.mentions import NAME, NOMINAL, PRONOUN, Mention
from allennlp_coref_rc.annotations.sieve.quotes import Quote, attribute_quotes, find_quotes


class Entity:
    """Mentions that were linked, and what is known of them together."""

    __slots__ = ("mentions", "gender", "number", "is_person", "salience", "sentence", "last", "is_third_person")

    def __init__(self, mention: Optional[Mention] = None) -> None:
        self.mentions: List[Mention] = [mention] if mention else []
        self.gender = mention.gender if mention else PERSON
        self.number = mention.number if mention else SINGULAR
        self.is_person = mention.is_person if mention else True
        self.is_third_person = mention is not None
        self.salience = 0.0
        self.sentence = -1
        self.last = -1


class Resolver:
    """Links the mentions of one text, rule by rule, the most certain first."""

    def __init__(self, tokens, words, sentences, mentions: Sequence[Mention], options: Dict) -> None:
        self.words = words
        self.sentences = sentences
        self.mentions = mentions
        self.options = options
        self.entity: Dict[Mention, Entity] = {}
        self.quotes = find_quotes(tokens)
        attribute_quotes(self.quotes, tokens, words, sentences, mentions)
        self.quote_of: List[Optional[Quote]] = [None] * len(words)
        for quote in self.quotes:
            for position in range(quote.start, quote.stop):
                self.quote_of[position] = quote

    def resolve(self) -> List[Entity]:
        self._link_names()
        self._link_appositions()
        self._vote_genders()
        self._link_nominals_and_pronouns()
        self._link_speakers()
        found = {id(entity): entity for entity in self.entity.values()}
        return list(found.values())

    def _merge(self, one: Entity, other: Entity) -> Entity:
        if one is other:
            return one
        if len(one.mentions) < len(other.mentions):
            one, other = other, one
        one.mentions.extend(other.mentions)
        one.gender = one.gender & other.gender or one.gender
        one.number = one.number & other.number or one.number
        one.is_person = one.is_person or other.is_person
        if other.last > one.last:
            one.salience, one.sentence, one.last = other.salience, other.sentence, other.last
        for mention in other.mentions:
            self.entity[mention] = one
        return one

    # Names

    def _link_names(self) -> None:
        """The same name; then a part of a longer one: "Mr. Archer" and "Archer" of "Newland Archer"."""
        by_name: Dict[Tuple[str, ...], Entity] = {}
        for mention in self.mentions:
            if mention.kind == NAME and mention.determiner != "'s" and not mention.possessor:
                entity = by_name.get(mention.words)
                if entity is None:
                    by_name[mention.words] = self.entity[mention] = Entity(mention)
                else:
                    entity.mentions.append(mention)
                    self.entity[mention] = entity
            elif mention.kind == NAME:
                self.entity[mention] = Entity(mention)
        ordered = sorted(by_name, key=lambda name: (-len(_core(name)), by_name[name].mentions[0].start))
        parts: Dict[str, List[Tuple[str, ...]]] = defaultdict(list)
        for name in ordered:
            self._link_to_longer(name, by_name, parts)
            for part in set(name):
                if part not in TITLES and part not in ("of", "the", "'s", "de", "."):
                    parts[part].append(name)

    def _link_to_longer(self, name, by_name, parts) -> None:
        entity = by_name[name]
        core = _core(name)
        last = core[-1]
        if entity.gender == NEUTER:
            return
        best, most = None, -1
        # A surname alone is a man's, where there is a choice.
        name_is_surname = len(core) == len(name) == 1 and last not in GIVEN_NAMES
        women: List[Tuple[str, ...]] = []
        for longer in parts.get(last, ()):
            other = by_name[longer]
            if longer == name or not other.gender & entity.gender & PERSON or not other.number & entity.number:
                continue
            if not _is_part(core, longer) or not _titles_agree(name, longer):
                continue
            if name_is_surname and other.gender == FEMALE:
                women.append(longer)
                continue
            if len(other.mentions) > most:
                best, most = longer, len(other.mentions)
        if best is None and women:
            best = max(women, key=lambda longer: len(by_name[longer].mentions))
        if best is not None:
            merged = self._merge(by_name[best], entity)
            # Later names meet the entity under each of its names.
            for other, value in list(by_name.items()):
                if value is entity or value is by_name[best]:
                    by_name[other] = merged

    # Apposition

    def _link_appositions(self) -> None:
        """A name beside a noun phrase of a person: "her sister Anne", "Anne, her sister,"."""
        names_at = {mention.start: mention for mention in self.mentions if mention.kind == NAME}
        ends = {mention.stop: mention for mention in self.mentions if mention.kind == NAME}
        for mention in self.mentions:
            if mention.kind != NOMINAL or not mention.is_person or mention.number != SINGULAR:
                continue
            name = None
            if mention.determiner:
                name = names_at.get(mention.stop)
                if name is None and self.words[mention.stop : mention.stop + 1] == [","]:
                    name = names_at.get(mention.stop + 1)
                    if name and self.words[name.stop : name.stop + 1] not in ([","], ["."]):
                        name = None
                if name is None and self.words[mention.start - 1] == ",":
                    name = ends.get(mention.start - 1)
                    if name and self.words[mention.stop : mention.stop + 1] not in ([","], ["."], [";"], ["who"]):
                        name = None
            if name and name.gender & mention.gender & PERSON and name.sentence == mention.sentence:
                if name.start <= mention.start < name.stop or mention.start <= name.start < mention.stop:
                    continue
                self.entity[mention] = self.entity[name]
                self.entity[name].mentions.append(mention)
                self.entity[name].gender &= mention.gender
                self.entity[name].is_person = True

    # Gender

    def _vote_genders(self) -> None:
        """
        Names of unknown gender get that of the pronouns that follow them, in their sentence and the next one, before
        another person is named.
        """
        votes: Dict[int, List[int]] = defaultdict(lambda: [0, 0, 0])
        last: Optional[Entity] = None
        sentence = 0
        for mention in self.mentions:
            if mention.kind == NAME:
                entity = self.entity[mention]
                if not entity.number & SINGULAR or entity.gender == NEUTER:
                    continue
                last, sentence = entity, mention.sentence
            elif mention.kind == PRONOUN and last and mention.sentence - sentence <= 1:
                if mention.gender == MALE:
                    votes[id(last)][0] += 1
                elif mention.gender == FEMALE:
                    votes[id(last)][1] += 1
        for entity in {id(e): e for e in self.entity.values()}.values():
            male, female, _ = votes[id(entity)] if id(entity) in votes else (0, 0, 0)
            if entity.gender in (MALE, FEMALE, NEUTER) or entity.mentions[0].kind != NAME:
                continue
            places = sum(
                self.words[mention.start - 1] in function_words.PLACE_PREPOSITIONS for mention in entity.mentions
            )
            if not entity.is_person and places * 2 > len(entity.mentions):
                entity.gender = NEUTER
            elif male >= 2 * female and male:
                entity.gender = MALE
            elif female >= 2 * male and female:
                entity.gender = FEMALE

    # Nominals and pronouns

    def _link_nominals_and_pronouns(self) -> None:
        self.active: Dict[int, Entity] = {}
        self.by_head: Dict[str, List[Mention]] = defaultdict(list)
        self.by_possessor: Dict[Tuple[int, str], Mention] = {}
        self.narrator: Optional[Entity] = None
        self.speakers: Dict[int, Entity] = {}
        self.addressees: Dict[int, Entity] = {}
        self.plural_we: Dict[int, Entity] = {}
        self.subject: Dict[int, Tuple[int, Entity]] = {}
        for mention in self.mentions:
            if mention.kind == PRONOUN:
                entity = self._pronoun(mention)
            elif mention in self.entity:
                entity = self.entity[mention]
            else:
                entity = self._nominal(mention)
            if mention not in self.entity:
                if entity is None:
                    entity = Entity(mention)
                else:
                    entity.mentions.append(mention)
                    self._narrow(entity, mention)
                self.entity[mention] = entity
            self._note(mention, entity)

    @staticmethod
    def _narrow(entity: Entity, mention: Mention) -> None:
        entity.gender = entity.gender & mention.gender or entity.gender
        entity.number = entity.number & mention.number or entity.number

    def _note(self, mention: Mention, entity: Entity) -> None:
        o = self.options
        decay = o["decay"] ** (mention.sentence - entity.sentence) if entity.sentence >= 0 else 0.0
        weight = 1.0 if mention.is_subject else o["w_obj"]
        if mention.kind == PRONOUN: weight *= o["w_pron"]
        elif mention.kind == NOMINAL: weight *= o["w_nom"]
        if mention.words[-1] in function_words.POSSESSIVES: weight *= o["w_poss"]
        if self.quote_of[mention.start]: weight *= o["w_quote"]
        entity.salience = entity.salience * decay + weight
        entity.sentence = mention.sentence
        entity.last = mention.start
        # The latest mentioned entity is the last one.
        self.active.pop(id(entity), None)
        self.active[id(entity)] = entity
        if mention.is_subject:
            self.subject[mention.sentence] = (mention.start, entity)
        if mention.kind == NOMINAL:
            self.by_head[self.words[mention.head]].append(mention)

    def _nominal(self, mention: Mention) -> Optional[Entity]:
        if mention.possessor is not None:
            owner = self.entity.get(mention.possessor)
            key = (id(owner), mention.words[-1])
            earlier = self.by_possessor.setdefault(key, mention)
            if earlier is not mention and mention.number == SINGULAR:
                return self.entity[earlier]
            return None
        head = self.words[mention.head]
        if not mention.determiner:
            if head in nouns.KIN:
                for earlier in reversed(self.by_head[head]):
                    if not earlier.determiner and earlier.possessor is None:
                        return self.entity[earlier]
            return None
        if mention.determiner not in function_words.DEFINITE:
            return None
        if mention.number == PLURAL and mention.determiner in ("these", "those"):
            pass
        for earlier in reversed(self.by_head[head][-12:]):
            if mention.sentence - earlier.sentence > self.options["max_nominal_distance"]:
                break
            if earlier.possessor is not None or earlier.determiner in ("no", "any", "every", "each"):
                continue
            if earlier.stop > mention.start:
                continue
            if earlier.number != mention.number or not earlier.determiner:
                continue
            if set(mention.words) <= set(earlier.words):
                return self.entity[earlier]
        return None

    def _pronoun(self, mention: Mention) -> Optional[Entity]:
        word = mention.words[0]
        pronoun = PRONOUNS[word]
        quote = self.quote_of[mention.start]
        if pronoun.person == 1 and pronoun.number == SINGULAR:
            return self._speaker(quote)
        if pronoun.person == 1:
            key = id(self._origin(quote)) if quote else 0
            if key not in self.plural_we:
                self.plural_we[key] = Entity(mention)
                self.plural_we[key].mentions.clear()
                self.plural_we[key].is_third_person = False
            return self.plural_we[key]
        if pronoun.person == 2:
            key = id(self._origin(quote)) if quote else 0
            return self.addressees.setdefault(key, Entity())
        if word in function_words.NEUTER_PRONOUNS and (word not in self.options["neuter"] or self._is_pleonastic(mention)):
            return None
        return self._antecedent(mention, word, quote)

    @staticmethod
    def _origin(quote: Quote) -> Quote:
        while quote.same_as:
            quote = quote.same_as
        return quote

    def _speaker(self, quote: Optional[Quote]) -> Entity:
        key = id(self._origin(quote)) if quote else 0
        return self.speakers.setdefault(key, Entity())

    def _is_pleonastic(self, mention: Mention) -> bool:
        """ "It" that refers to nothing: "it was clear that", "it rained", "it seemed"."""
        if mention.words[0] != "it":
            return False
        after = self.words[mention.stop : mention.stop + 7]
        if not after:
            return False
        if after[0] in ("seems", "seemed", "appears", "appeared", "rained", "snowed", "happened", "matters"):
            return True
        if after[0] in ("is", "was", "'s", "had", "would", "will", "may", "might", "has", "be"):
            return any(word in ("that", "to", "who", "when", "if", "for", "how", "what", "why") for word in after[1:])
        return False

    def _antecedent(self, mention: Mention, word: str, quote: Optional[Quote]) -> Optional[Entity]:
        reach = mention.sentence - self.options["max_pronoun_distance"]
        reflexive = word in function_words.REFLEXIVES
        subject_start, subject = self.subject.get(mention.sentence, (-1, None))
        if reflexive and subject and subject.gender & mention.gender and subject.number & mention.number:
            return subject
        previous = self.subject.get(mention.sentence - 1, (-1, None))[1]
        barred = None
        if word in ("him", "them") or word == "her" and not self._is_possessive_her(mention):
            if subject and mention.start - subject_start <= 6:
                barred = subject
                between = self.words[subject_start : mention.start]
                if any(w in (",", ";", "and", "that", "who", "but") for w in between):
                    barred = None
        speaker = None
        if quote:
            speaker = self.speakers.get(id(self._origin(quote)))
        best, best_score = None, 0.0
        for entity in reversed(self.active.values()):
            if entity.sentence < reach:
                break
            if entity is barred or entity is speaker or not entity.is_third_person:
                continue
            if not entity.gender & mention.gender or not entity.number & mention.number:
                continue
            if not self._may_precede(entity, mention, word):
                continue
            o = self.options
            score = entity.salience * o["decay"] ** (mention.sentence - entity.sentence)
            score += o["rec"] / (1 + (mention.start - entity.last) / o["rscale"])
            if entity is subject: score += o["same_subj"]
            if word in function_words.SUBJECTS and entity is previous: score += o["prev_subj"]
            if not entity.is_person and not entity.gender in (1,2) : score *= o["nonperson"]
            if word in function_words.POSSESSIVES and entity.sentence == mention.sentence: score += o["poss_same"]
            if score > best_score:
                best, best_score = entity, score
        return best

    def _is_possessive_her(self, mention: Mention) -> bool:
        after = self.words[mention.stop] if mention.stop < len(self.words) else "."
        return (
            after[0].isalpha()
            and after not in function_words.PREPOSITIONS
            and after not in function_words.DETERMINERS
            and after not in function_words.CONJUNCTIONS
            and after not in function_words.AUXILIARIES
            and after not in function_words.ADVERBS
            and after not in PRONOUNS
        )

    def _may_precede(self, entity: Entity, mention: Mention, word: str) -> bool:
        if mention.gender == NEUTER:
            return entity.gender == NEUTER and entity.number & SINGULAR != 0
        if mention.number == PLURAL:
            return True
        last = entity.mentions[-1]
        # i within i
        return not (last.start <= mention.start < last.stop and last.kind != PRONOUN)

    # Speakers

    def _link_speakers(self) -> None:
        """I is who speaks, you who is spoken to: the speaker of the turn before, or else of the one after."""
        speaking: Dict[int, Entity] = {}
        for quote in self.quotes:
            origin = self._origin(quote)
            if quote.speaker is not None:
                entity = self.entity[quote.speaker]
                if id(origin) in speaking:
                    continue
                speaking[id(origin)] = entity
        # Every other turn is the same one's.
        for quote in self.quotes:
            if quote.same_as or id(quote) in speaking:
                continue
            if quote.before and quote.before.before and id(self._origin(quote.before.before)) in speaking:
                speaking[id(quote)] = speaking[id(self._origin(quote.before.before))]
        for quote in reversed(self.quotes):
            if quote.same_as or id(quote) in speaking:
                continue
            if quote.after and quote.after.after and id(self._origin(quote.after.after)) in speaking:
                speaking[id(quote)] = speaking[id(self._origin(quote.after.after))]
        for quote in self.quotes:
            if quote.same_as:
                continue
            if id(quote) in self.speakers and id(quote) in speaking:
                self._join(self.speakers[id(quote)], speaking[id(quote)])
        for quote in self.quotes:
            if quote.same_as or id(quote) not in self.addressees:
                continue
            you = self.addressees[id(quote)]
            for other in (quote.before, quote.after):
                if other is None:
                    continue
                key = id(self._origin(other))
                spoken = speaking.get(key) or self.speakers.get(key)
                own = speaking.get(id(quote)) or self.speakers.get(id(quote))
                if spoken and own is not spoken:
                    self._join(you, spoken)
                    break
            else:
                narrator = self.speakers.get(0)
                own = speaking.get(id(quote))
                if narrator and len(narrator.mentions) >= self.options["narr"] and own is not None and own is not narrator:
                    self._join(you, narrator)

    def _join(self, one: Entity, other: Entity) -> None:
        """Merges with what the other has become since."""
        if one.mentions and other.mentions:
            one, other = self.entity[one.mentions[0]], self.entity[other.mentions[0]]
            self._merge(one, other)


def _core(name: Sequence[str]) -> Sequence[str]:
    """The name without titles."""
    return [word for word in name if word not in TITLES] or name


def _is_part(core: Sequence[str], longer: Sequence[str]) -> bool:
    return all(word in longer for word in core)


def _titles_agree(name: Sequence[str], longer: Sequence[str]) -> bool:
    one = {word.rstrip(".") for word in name if word in TITLES}
    other = {word.rstrip(".") for word in longer if word in TITLES}
    if len(name) > 1 and not one and {"mrs", "lady"} & other:
        return name[0] in GIVEN_NAMES and GIVEN_NAMES[name[0]] != MALE
    return not (one and other) or bool(one & other)
