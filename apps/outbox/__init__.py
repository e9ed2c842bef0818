"""Messages that leave the site (SMS, e-mail): rows first, sent by tasks."""
