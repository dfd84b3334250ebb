"""Rules and durations in German (wording after seed 000, "Beispielhafte Formulierung der Regeln", and seed 003)."""

from __future__ import annotations

from typing import Final

from chalicelib.reference.wording import Wording, one_or_many

GERMAN: Final = Wording(
    form=one_or_many,
    form_of_fractions=1,
    decimal_sign=",",
    counted={
        "day": ("Tag", "Tage"),
        "hour": ("Stunde", "Stunden"),
        "minute": ("Minute", "Minuten"),
        "second": ("Sekunde", "Sekunden"),
        "ply": ("Halbzug", "Halbzüge"),
        "own_move": ("eigener Zug", "eigene Züge"),
        "game": ("Spiel", "Spiele"),
    },
    short={"day": "T", "hour": "Std", "minute": "Min", "second": "s"},
    texts={
        "profile.saving": "{start} Start, +{increment} je Zug, max. {cap}",
        "profile.rigid": "{increment} je Zug",
        "profile.late": "{profile}; ab Zug {late_from_move} +{late_increment}",
        "account.title": "Das Zeitkonto",
        "account.model": (
            "Jede Seite hat ein Zeitkonto. Du beginnst mit der Startzeit deiner Zeitkontrolle, und jeder ausgeführte "
            "Zug bringt dir das Inkrement als Zeitgutschrift. Dein Konto kann nie mehr als sein Maximum betragen: "
            "Überschüssiges Inkrement verfällt."
        ),
        "account.absence": (
            "Es gibt keinen Urlaubsmodus. Das Konto ist dein Puffer für Urlaub, Krankheit und volle Wochen; wer ihn "
            "durch langsames Spiel verbraucht, trägt das Risiko selbst. Spieler können die Uhr nicht anhalten. Das "
            "kann nur die Turnierleitung, und solange wird niemandem Zeit berechnet."
        ),
        "account.display": (
            "Gerechnet wird auf die Millisekunde. Angezeigt wird auf die Minute abgerundet, in der letzten Stunde auf "
            "die Sekunde: nie mehr, als du noch hast."
        ),
        "account.controls": (
            "Diese Zeitkontrollen haben einen Namen; daneben kann eine feste Zeit je Zug vereinbart werden, in ganzen "
            "Tagen, höchstens {longest_account}."
        ),
        "start.title": "Die Startphase",
        "start.correspondence": (
            "Fernpartien mit Zeitkonto müssen eröffnet werden. Frist für den ersten Zug der Partie, ab ihrer Freigabe: "
            "{first_move_limit}. Kommt der Zug nicht, ist die Partie kampflos verloren. Bei fester Zeit je Zug gibt es "
            "diese Frist nicht."
        ),
        "start.live": (
            "In Livepartien hat jede Seite eine Frist für ihren ersten Zug: {live_first_move_limit}. Kommt ein Zug "
            "nicht, bricht sich die Partie selbst ab."
        ),
        "flag.title": "Zeitüberschreitung",
        "flag.loss": (
            "Du hast verloren, sobald dein Konto leer ist, während du am Zug bist. Darüber entscheidet der Server, "
            "auch wenn niemand zuschaut, und niemand muss es beanspruchen. Das Ergebnis trägt den Zeitpunkt des "
            "Fristablaufs."
        ),
        "flag.grace": (
            "Fernpartien haben eine Kulanz für langsame Leitungen: {grace}. Ein Zug, der darin eingeht, zählt noch. "
            "Bedenkzeit ist das nicht."
        ),
        "flag.no_mate": (
            "Könnte dich dein Gegner durch keine Folge regelgemäßer Züge matt setzen, ist die Zeitüberschreitung ein "
            "Remis ({flag_rule})."
        ),
        "flag.offer": (
            "Ein Turnier kann festlegen, dass die Zeitüberschreitung auch dann ein Remis ist, wenn ein Remisangebot "
            "deines Gegners offen ist."
        ),
        "flag.outage": (
            "Sollte die Überwachung der Uhren je länger schweigen als {longest_silence}, überschreitet niemand die "
            "Zeit, bis allen laufenden Uhren diese Spanne zurückgegeben ist."
        ),
        "moves.title": "Züge stehen",
        "moves.no_takeback": "Züge, Remisangebote und Aufgaben stehen. Zurückgenommen wird nichts.",
        "draws.title": "Remis",
        "draws.offer": (
            "Du kannst jederzeit Remis anbieten, am Zug oder nicht. Das Angebot verfällt mit dem nächsten Zug, gleich "
            "welcher Seite. Bieten beide an, ist das Remis vereinbart."
        ),
        "draws.pause": (
            "Zwischen einem deiner Remisangebote, ob abgelehnt oder verfallen, und deinem nächsten liegen mindestens "
            "{offer_pause}."
        ),
        "draws.claims": (
            "Am Zug kannst du Remis beanspruchen, wenn die Stellung auf dem Brett zum dritten Mal entstanden ist oder "
            "wenn beide Seiten fünfzig Züge lang weder geschlagen noch einen Bauern gezogen haben."
        ),
        "draws.automatic": (
            "Ohne Antrag endet die Partie remis durch Patt, in einer Stellung, in der keine Seite matt setzen kann, "
            "wenn eine Stellung zum fünften Mal entsteht, und wenn beide Seiten fünfundsiebzig Züge lang weder "
            "geschlagen noch einen Bauern gezogen haben."
        ),
        "abort.title": "Abbruch",
        "abort.arranged": (
            "Eine durch Herausforderung oder Gesuch vereinbarte Partie können beide Seiten abbrechen, solange nicht "
            "mehr gespielt ist als {abort_plies}. Eine abgebrochene Partie hinterlässt weder Wertung noch Eintrag."
        ),
        "abort.event": "Von einem Turnier angesetzte Partien können die Spieler nicht abbrechen.",
        "invitations.title": "Herausforderungen und Gesuche",
        "invitations.open": (
            "Eine Einladung wartet auf Annahme und verfällt danach. Zu einer Fernpartie wartet sie {invitation_open}, "
            "zu einer Livepartie {live_invitation_open}. Vorher kannst du sie zurückziehen."
        ),
        "events.title": "Turniere",
        "events.guillotine": (
            "Ein Turnier kann einen Zeitpunkt festlegen, an dem alle Partien einer Runde enden. Dann gewinnt, wer mehr "
            "Zeit übrig hat; bei gleicher Zeit ist die Partie remis."
        ),
        "rating.title": "Was gewertet wird",
        "rating.agreed": (
            "Ob eine Partie gewertet wird, steht fest, wenn sie entsteht; ohne Angabe wird sie gewertet. Im Turnier "
            "entscheidet das Turnier."
        ),
        "rating.exceptions": (
            "Ein kampfloser Sieg, weil der erste Zug nicht kam, ändert keine Wertung, und abgebrochene Partien zählen "
            "nicht. Jedes andere Ergebnis einer gewerteten Partie zählt."
        ),
        "pools.title": "Deine Wertung",
        "pools.classes": (
            "Wertungen gibt es getrennt nach Regel und Zeit. Es zählt die Grundzeit, bei verschiedenen Zeiten die "
            "längere: bis {blitz_limit} Blitz, bis {rapid_limit} Rapid, alles Längere Klassisch. Aus einer selbst "
            "aufgebauten Stellung wird nicht gewertet."
        ),
        "pools.scale": (
            "Eine neue Wertung startet bei {start_rating}. Sie basiert auf {rating_model}: Ein Ergebnis, das stärker "
            "vom Erwarteten abweicht, bewegt sie stärker. Beide Spieler erhalten für dasselbe Spiel eine Wertung, "
            "für einen Sieg einen Punkt, für ein Unentschieden einen halben."
        ),
        "pools.mark": (
            "Solange eine Wertung noch nicht gefestigt ist, wird sie mit einem „?“ angezeigt. Weitere Spiele "
            "festigen sie; wer lange nicht spielt, bekommt es wieder."
        ),
        "pools.margin": (
            "Die Spanne hinter dem ± zeigt, wie sicher eine Wertung ist: je niedriger, desto gefestigter, und sie "
            "sinkt, je mehr du spielst."
        ),
        "pools.board": (
            "Auf der Bestenliste erscheinst du, sobald du in diesem Pool genug gespielt hast, mindestens "
            "{pool_games}, und deine Wertung gefestigt ist: Eine Zahl, der sich niemand sicher ist, ist keine "
            "Position."
        ),
        "clubs.title": "Wertungen in Clubs",
        "clubs.scale": (
            "Aus den erfassten Spielen entstehen ein Einzel-Rating für jedes Mitglied und ein Team-Rating für jedes "
            "Paar, getrennt für alle Clubs zusammen, jeden Club, jedes Turnier und jede Saison. Gäste zählen nicht "
            "mit. Wird ein Ergebnis berichtigt, gilt überall, was bei richtiger Erfassung gegolten hätte."
        ),
        "clubs.provisional": (
            "Ein Rating ist provisorisch und steht hinter den anderen, bis genug gewertet ist: {provisional_below}."
        ),
        "clubs.rest": (
            "Wer lange nicht spielt (länger als {rest}), dessen Einschätzung wird täglich unsicherer, bis wieder "
            "gespielt wird. Die geschätzte Stärke bleibt gleich."
        ),
        "end.checkmate": "Matt: Wer matt setzt, gewinnt.",
        "end.resignation": "Aufgabe: Du kannst jederzeit aufgeben; dein Gegner gewinnt.",
        "end.time": (
            "Zeitüberschreitung: Wem die Zeit ausgeht, verliert; kann der Gegner nicht matt setzen, ist es ein Remis."
        ),
        "end.guillotine": "Rundenende: Wer mehr Zeit übrig hat, gewinnt; gleiche Zeit ist ein Remis.",
        "end.no_start": "Kein erster Zug: Wer die Partie nicht rechtzeitig eröffnet, verliert kampflos.",
        "end.adjudication": "Entscheidung: Die Spielleitung hat die Partie entschieden.",
        "end.agreement": "Vereinbart: Eine Seite bietet Remis an, die andere nimmt an.",
        "end.stalemate": "Patt: Die Seite am Zug hat keinen regelgemäßen Zug und steht nicht im Schach.",
        "end.dead_position": "Tote Stellung: Keine Seite kann durch irgendeine Folge regelgemäßer Züge matt setzen.",
        "end.threefold_repetition": "Dreimalige Stellungswiederholung, beansprucht von der Seite am Zug.",
        "end.fifty_moves": "Fünfzig-Züge-Regel, beansprucht von der Seite am Zug.",
        "end.fivefold_repetition": "Fünfmalige Stellungswiederholung, ohne Antrag.",
        "end.seventyfive_moves": "Fünfundsiebzig-Züge-Regel, ohne Antrag.",
        "end.annulled": "Von der Spielleitung annulliert: Die Partie zählt nicht.",
        "end.aborted": "Von einem Spieler abgebrochen.",
        "end.auto_aborted": "Von selbst abgebrochen, weil ein erster Zug einer Livepartie nicht kam.",
        "end.declined": "Die Herausforderung wurde abgelehnt.",
        "end.withdrawn": "Die Einladung wurde zurückgezogen.",
        "end.expired": "Die Einladung ist verfallen.",
    },
)
