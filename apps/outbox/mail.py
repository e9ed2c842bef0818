"""Sends e-mails."""

import smtplib

from django.core.mail import BadHeaderError, EmailMultiAlternatives
from django.template.loader import render_to_string

from apps.outbox.failures import NotSent as NotSent
from apps.outbox.failures import PermanentlyRefused

#: SMTP's answers from here on are for good (RFC 5321, section 4.2.1).
FIRST_PERMANENT_CODE = 500


def send(to: str, subject: str, text: str) -> None:
    """Send an e-mail, as text and in the site's look, by settings.EMAIL_BACKEND within EMAIL_TIMEOUT.

    NotSent, or PermanentlyRefused.
    """
    letter = EmailMultiAlternatives(subject, text, to=[to])
    page = render_to_string("outbox/mail.html", {"subject": subject, "text": text})
    letter.attach_alternative(page, "text/html")
    try:
        letter.send()
    except BadHeaderError as error:
        raise PermanentlyRefused(f"the address or subject is no header: {error}") from error
    except smtplib.SMTPRecipientsRefused as error:
        code, answer = next(iter(error.recipients.values()))
        raise (PermanentlyRefused if code >= FIRST_PERMANENT_CODE else NotSent)(
            f"{code} {answer!r}"
        ) from error
    except smtplib.SMTPResponseException as error:
        raise NotSent(f"{error.smtp_code} {error.smtp_error!r}") from error
    except (smtplib.SMTPException, OSError) as error:
        raise NotSent(f"{type(error).__name__}: {error}") from error
