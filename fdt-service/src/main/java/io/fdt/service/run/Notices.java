package io.fdt.service.run;

import io.fdt.core.error.FdtException;
import io.fdt.service.mail.MailServer.Answer;
import io.fdt.service.mail.MailServer.Result;
import io.fdt.service.store.Outbox;
import io.fdt.service.store.StoreException;
import io.fdt.service.task.FaultPause;
import io.fdt.service.value.ServiceException;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends the notices of one channel, each repeated for a day. One thread calls {@link #tick}. */
final class Notices {
  private static final Logger LOG = LoggerFactory.getLogger(Notices.class);
  private static final long GIVE_UP_MILLIS = Duration.ofDays(1).toMillis();

  private final Outbox outbox;
  private final Outbox.Channel channel;
  private final Sender sender;
  private final Limits limits;
  private final Clock clock;
  private final AtomicInteger running = new AtomicInteger();

  @FunctionalInterface
  interface Sender {
    /**
     * Sends a notice.
     *
     * @param end takes the answer, on any thread, once
     * @throws FdtException it can never be sent
     * @throws ServiceException it can never be sent
     */
    void send(Outbox.Message message, Consumer<Answer> end) throws FdtException, ServiceException;
  }

  /**
   * Limits of a channel.
   *
   * @param takenMillis the time after which the process that took a notice has sent it, or is dead
   * @param mostOfEach concurrent notices to one target
   * @param mostAtOnce concurrent notices to all targets
   */
  record Limits(long takenMillis, int mostOfEach, int mostAtOnce) {}

  Notices(Outbox outbox, Outbox.Channel channel, Sender sender, Limits limits, Clock clock) {
    this.outbox = outbox;
    this.channel = channel;
    this.sender = sender;
    this.limits = limits;
    this.clock = clock;
  }

  /** Sends the notices that are due. */
  void tick() {
    int room = limits.mostAtOnce() - running.get();
    if (room <= 0) {
      return;
    }
    long now = clock.millis();
    for (Outbox.Message message :
        outbox.take(channel, now, now + limits.takenMillis(), limits.mostOfEach(), room)) {
      running.incrementAndGet();
      try {
        sender.send(message, answer -> end(message, answer));
      } catch (FdtException | ServiceException e) {
        end(message, new Answer(Result.REFUSED, e.getMessage()));
      }
    }
  }

  private void end(Outbox.Message message, Answer answer) {
    running.decrementAndGet();
    long now = clock.millis();
    String target = message.target();
    try {
      if (answer.result() == Result.SENT) {
        outbox.done(message);
      } else if (answer.result() == Result.REFUSED || now - message.created() > GIVE_UP_MILLIS) {
        LOG.warn(
            "notice given up channel={} target={} reason={}", channel, target, answer.problem());
        outbox.done(message);
      } else {
        LOG.info(
            "notice sent again later channel={} target={} reason={}",
            channel,
            target,
            answer.problem());
        outbox.failed(message, now + FaultPause.millis(target, message.attempts() + 1));
      }
    } catch (StoreException e) {
      LOG.debug(
          "notice not stored channel={} target={} reason={}", channel, target, e.getMessage());
    }
  }
}
