import re

# Abbreviations that keep their full stop, beside single letters and acronyms ("u.s.").
ABBREVIATIONS = (
    "adj adm adv al ala apr ariz assn assoc asst atty attys aug ave bldg blvd brig bros calif capt cf cie cmdr co col "
    "colo comdr conn corp cos cpl ct dak dec dept det dr drs elec esq est etc ext feb fla fri ft ga gen gov govs hon "
    "inc ind insp intl invt jan jr jul jun kan kans ky lieut lt ltd maj mar md messrs mfg mich minn mlle mme mo mon "
    "mont mr mrs ms mt natl neb nev nov oct okla penn pfc ph plc pres prof pte pty pvt rd rep reps rev rt sen sens sep "
    "sept seq sgt spc sq sr st ste supt tel tenn thu thurs treas tue tues univ va vs vt wed wis wisc wyo"
).split()

# Words with an apostrophe that are one token.
WHOLE = "o'clock ma'am o'er e'er ne'er c'mon cap'n hawai'i qa'ida 'em 'til 'cause".split()

LETTER = r"[^\W\d_]"
CHAINED = rf"(?:[dol]')?(?:{LETTER}|\d)+(?:-(?:[dol]'(?={LETTER}))?(?:{LETTER}|\d)+)*"

TOKEN = re.compile(
    rf"""
      </?[a-z][\w:.-]*\s*/?>                                 # tags
    | (?:https?://|www\.)[^\s"<>|()]*[^\s"<>|().,;:!?']      # addresses
    | [\w.+-]*\w@\w[\w-]*(?:\.\w[\w-]*)* | @[a-z_]\w*
    | {"|".join(rf"{word}(?!{LETTER})" for word in WHOLE)} | 'n' | y'(?=all\b) | c(?:\+\+|\#)
    | (?:can(?=not) | gon(?=na) | wan(?=na) | got(?=ta) | gim(?=me) | lem(?=me))(?=(?:not|na|ta|me)\b)
    | '(?:s|m|d|re|ve|ll|n)\b | n't\b | 't(?=(?:is|was)\b) | '\d\ds?\b(?!-)
    | {LETTER}+?(?=n't\b)
    | (?:{LETTER}\.)+{LETTER}\.(?!{LETTER}|\d)(?:-\w+)*      # u.s.
    | (?:{LETTER}|{"|".join(ABBREVIATIONS)})\.(?!{LETTER}|\d)
    | (?:no|nos|ca|fig|figs|op|pp|art)\.(?=\s?\d)
    | ph\.d\.
    | \w+(?:-\w+){{0,2}}(?:/\w+(?:-\w+){{0,2}}){{1,2}}       # and/or, 9/11
    | [-+]?\d*(?:[.,:]\d+)+(?:(?<!:\d\d)-(?:{LETTER}|\d)+)*
    | [^\W_]+(?:_[^\W_]+)+
    | {LETTER}(?:{LETTER}|\d)*(?:[.!?]{LETTER}(?:{LETTER}|\d)*)+
    | {CHAINED}
    | \w+
    | [-+]\d+
    | [:;=]-?[()] | [?!]{{2,}} | \*+ | \#[a-z]\w*
    | \S
    """,
    re.VERBOSE,
)

# How tokens are written, and which of them are left out.
REPLACED = {"(": "-lrb-", ")": "-rrb-", "[": "-lsb-", "]": "-rsb-", "{": "-lcb-", "}": "-rcb-"}
REPLACED.update({"£": "#", "€": "$", "¤": "$", "¢": "cents", "½": "1/2", "¼": "1/4", "¾": "3/4"})
REPLACED.update(
    {
        eyes + bracket: eyes + REPLACED[bracket]
        for eyes in (":", ";", "=", ":-", ";-", "=-")
        for bracket in "()"
    }
)
REMOVED = frozenset("' \" ` . ? ! , : - ; … – — “ ” ‘ ’ « »".split())

# Control characters that stand for signs of Windows' code page; the others are nothing.
CONTROLS = str.maketrans(
    {chr(code): " " for code in range(0x80, 0xA0)} | {"\x80": "€", "\xad": "", "\x92": "'", "’": "'"}
)


def ptb_tokens(text: str) -> list[str]:
    """
    The tokens of a text as COCO's caption evaluation, and with it that of NarrativeQA, has them: those of
    Stanford's PTBTokenizer (3.4.1) of the text in lower case, without punctuation. Written in Python, from
    what that program was seen to do: of 115,720 texts from NarrativeQA 9 have other tokens here, of 6,956
    sentences from novels 14.

    "Can't" is "ca" and "n't", "U.S." keeps its full stops, brackets are kept as "-lrb-" and the like (it is
    their capitalised names that the evaluation would remove), and so are two or more question or exclamation
    marks.
    """
    text = text.lower().translate(CONTROLS).replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
    return [REPLACED.get(token, token) for token in TOKEN.findall(text) if token not in REMOVED]
