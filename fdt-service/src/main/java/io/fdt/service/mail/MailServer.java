package io.fdt.service.mail;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import jakarta.mail.AuthenticationFailedException;
import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.Properties;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.eclipse.angus.mail.smtp.SMTPAddressFailedException;

/** Sends mails by SMTP, one connection for each. Blocks. Any thread. */
public final class MailServer {
  /** The timeout of a connection, and of each answer. */
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private static final int PERMANENT = 500;

  private final MailSettings settings;
  private final Session session;

  /**
   * Does not connect yet.
   *
   * @throws FdtException USAGE when the file of certificates cannot be read
   */
  public MailServer(MailSettings settings) throws FdtException {
    this.settings = settings;
    Properties properties = new Properties();
    String millis = Long.toString(TIMEOUT.toMillis());
    properties.setProperty("mail.smtp.host", settings.host());
    properties.setProperty("mail.smtp.port", Integer.toString(settings.port()));
    properties.setProperty("mail.smtp.connectiontimeout", millis);
    properties.setProperty("mail.smtp.timeout", millis);
    properties.setProperty("mail.smtp.writetimeout", millis);
    properties.setProperty("mail.smtp.from", settings.from());
    properties.setProperty("mail.smtp.auth", Boolean.toString(!settings.user().isEmpty()));
    properties.setProperty("mail.smtp.ssl.checkserveridentity", "true");
    properties.setProperty("mail.smtp.ssl.protocols", "TLSv1.3 TLSv1.2");
    switch (settings.tls()) {
      case STARTTLS -> {
        properties.setProperty("mail.smtp.starttls.enable", "true");
        properties.setProperty("mail.smtp.starttls.required", "true");
      }
      case TLS -> properties.setProperty("mail.smtp.ssl.enable", "true");
      case NONE -> properties.setProperty("mail.smtp.starttls.enable", "false");
    }
    if (settings.authorities().isPresent()) {
      properties.put("mail.smtp.ssl.socketFactory", trusting(settings.authorities().get()));
    }
    this.session = Session.getInstance(properties);
  }

  private static SSLSocketFactory trusting(Path file) throws FdtException {
    try (InputStream in = Files.newInputStream(file)) {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      int number = 0;
      for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        store.setCertificateEntry("ca" + number++, one);
      }
      if (number == 0) {
        throw new GeneralSecurityException("no certificate");
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context.getSocketFactory();
    } catch (IOException e) {
      throw new FdtException(
          ErrorCode.USAGE,
          "--mail-ca-file: '" + file + "' cannot be read: " + IoReason.of(e) + "; allow it",
          e);
    } catch (GeneralSecurityException e) {
      throw new FdtException(
          ErrorCode.USAGE, "--mail-ca-file: '" + file + "' must hold certificates as PEM", e);
    }
  }

  /**
   * A mail. Immutable.
   *
   * @param id equal for repetitions, by which a mailbox can detect them
   */
  public record Mail(String id, String to, String subject, String text) {}

  public enum Result {
    SENT,
    /** The server refuses the mail permanently. */
    REFUSED,
    /** A later attempt may succeed. */
    FAILED
  }

  /**
   * The result of a mail, and its reason.
   *
   * @param problem one line; empty when it was sent
   */
  public record Answer(Result result, String problem) {}

  public Answer send(Mail mail, Instant now) {
    try {
      MimeMessage message = new IdentifiedMessage(session, mail.id() + "@" + domain());
      message.setFrom(new InternetAddress(settings.from(), true));
      message.setRecipient(Message.RecipientType.TO, new InternetAddress(mail.to(), true));
      message.setSubject(mail.subject(), StandardCharsets.UTF_8.name());
      message.setText(mail.text(), StandardCharsets.UTF_8.name());
      message.setSentDate(Date.from(now));
      message.setHeader("Auto-Submitted", "auto-generated");
      message.saveChanges();
      try (Transport transport = session.getTransport("smtp")) {
        transport.connect(
            settings.user().isEmpty() ? null : settings.user(),
            settings.user().isEmpty() ? null : settings.password());
        transport.sendMessage(message, message.getAllRecipients());
      }
      return new Answer(Result.SENT, "");
    } catch (AuthenticationFailedException e) {
      return new Answer(Result.FAILED, "the mail server refuses the user: " + line(e));
    } catch (MessagingException e) {
      return new Answer(isForEver(e) ? Result.REFUSED : Result.FAILED, line(e));
    }
  }

  private String domain() {
    return settings.from().replaceFirst(".*@", "");
  }

  /** Whether the server refuses the mailbox permanently. */
  private static boolean isForEver(MessagingException e) {
    for (Exception next = e;
        next instanceof MessagingException one;
        next = one.getNextException()) {
      if (next instanceof SMTPAddressFailedException refused
          && refused.getReturnCode() >= PERMANENT) {
        return true;
      }
    }
    return false;
  }

  private static String line(MessagingException e) {
    Exception cause = e.getNextException() == null ? e : e.getNextException();
    return String.valueOf(cause.getMessage()).replaceAll("\\p{Cntrl}+", " ").strip();
  }

  /** A message with a given id. */
  private static final class IdentifiedMessage extends MimeMessage {
    private final String id;

    IdentifiedMessage(Session session, String id) {
      super(session);
      this.id = id;
    }

    @Override
    protected void updateMessageID() throws MessagingException {
      setHeader("Message-ID", "<" + id + ">");
    }
  }
}
