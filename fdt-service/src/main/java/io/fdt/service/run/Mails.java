package io.fdt.service.run;

import io.fdt.core.error.FdtException;
import io.fdt.service.mail.MailServer;
import io.fdt.service.store.EmailStore;
import io.fdt.service.store.Notice;
import io.fdt.service.store.StoreException;
import io.fdt.service.store.TaskStore;
import io.fdt.service.store.Vault;
import io.fdt.service.task.Backoff;
import io.fdt.service.task.Task;
import io.fdt.service.value.Secrets;
import io.fdt.service.value.ServiceException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the mails that are stored, each repeated for a day. One thread calls {@link #tick}, which
 * waits for the mail server.
 */
final class Mails {
  private static final Logger LOG = LoggerFactory.getLogger(Mails.class);
  private static final long GIVE_UP_MILLIS = Duration.ofDays(1).toMillis();

  /** By then a mail was sent, or the process that has taken it is gone. */
  private static final long TAKEN_MILLIS = Duration.ofMinutes(10).toMillis();

  /** Each takes at most a minute of a server that hangs. */
  private static final int MOST_AT_ONCE = 5;

  private final MailServer server;
  private final EmailStore store;
  private final TaskStore tasks;
  private final Vault vault;
  private final Clock clock;

  Mails(MailServer server, EmailStore store, TaskStore tasks, Vault vault, Clock clock) {
    this.server = server;
    this.store = store;
    this.tasks = tasks;
    this.vault = vault;
    this.clock = clock;
  }

  /** Sends what is due. */
  void tick() {
    long now = clock.millis();
    for (EmailStore.Mail mail : store.take(now, now + TAKEN_MILLIS, MOST_AT_ONCE)) {
      try {
        end(mail, server.send(write(mail), clock.instant()));
      } catch (FdtException | ServiceException e) {
        end(mail, new MailServer.Answer(MailServer.Result.REFUSED, e.getMessage()));
      }
    }
  }

  private MailServer.Mail write(EmailStore.Mail mail) throws FdtException, ServiceException {
    String id = Secrets.hash(mail.email().id() + mail.task() + mail.kind()).substring(0, 32);
    String to = mail.email().address();
    if (mail.kind() == Notice.CONFIRM) {
      String text =
          """
          The user '%s' of an FDT transfer service wants mails about transfers sent to this address.
          If that is you, confirm it with this code, on the page of the service ("Notices")
          or by "fdt notice confirm %s CODE":

            %s

          If not, do nothing: no further mail comes.
          """
              .formatted(
                  mail.email().owner(), to, vault.decrypt(mail.email().code(), mail.email().id()));
      return new MailServer.Mail(id, to, "fdt: confirm this address", text);
    }
    Task task = tasks.get(mail.email().owner(), mail.task());
    String what =
        switch (mail.kind()) {
          case FAULT -> "had a fault and is tried again";
          case DEADLINE -> "has missed its deadline";
          default -> task.state().name().toLowerCase(Locale.ROOT);
        };
    String label = oneLine(task.wish().label());
    String subject =
        "fdt: task %s %s%s".formatted(task.id(), what, label.isEmpty() ? "" : ": " + label);
    String text =
        """
        Task:     %s
        Label:    %s
        What:     %s
        Message:  %s
        Bytes:    %d
        Files:    %d, failed: %d
        When:     %s

        fdt task details %s
        """
            .formatted(
                task.id(),
                label,
                what,
                mail.detail(),
                task.counts().bytesDone(),
                task.counts().filesDone(),
                task.counts().filesFailed(),
                Instant.ofEpochMilli(mail.created()),
                task.id());
    return new MailServer.Mail(id, to, subject, text);
  }

  private static String oneLine(String text) {
    return text.replaceAll("\\p{Cntrl}", " ");
  }

  private void end(EmailStore.Mail mail, MailServer.Answer answer) {
    long now = clock.millis();
    try {
      if (answer.result() == MailServer.Result.SENT) {
        store.done(mail);
      } else if (answer.result() == MailServer.Result.REFUSED
          || now - mail.created() > GIVE_UP_MILLIS) {
        LOG.warn("email={} a mail is given up: {}", mail.email().id(), answer.problem());
        store.done(mail);
      } else {
        LOG.info("email={} a mail is sent again later: {}", mail.email().id(), answer.problem());
        int attempt = mail.attempts() + 1;
        store.failed(mail, now + Backoff.pauseMillis(mail.email().id(), attempt));
      }
    } catch (StoreException e) {
      LOG.debug("email={} a mail cannot be noted: {}", mail.email().id(), e.getMessage());
    }
  }
}
