package io.fdt.core.session.receiver;

import com.google.protobuf.ByteString;
import io.fdt.core.digest.DigestMethod;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.Range;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.control.Compared;
import io.fdt.core.wire.control.ComparedFile;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Decision;
import io.fdt.core.wire.control.FileFailure;
import io.fdt.core.wire.control.FileResults;
import io.fdt.core.wire.control.FrameAcks;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Collects decisions, acknowledgements, warnings and results, so that many share one message.
 *
 * <p>Not thread-safe: confined to its {@link ReceiverMachine}.
 */
final class ResultBatcher {
  /**
   * The most results in one message; with three bytes per character, a fifth of the longest
   * message.
   */
  private static final int MAX_RESULTS = 256;

  private static final int MAX_RESULT_CHARS = 64 << 10;
  private static final int DIGESTS_CAPACITY = MAX_RESULTS * DigestMethod.MAX_LENGTH;

  private final Consumer<Control.Builder> messages;
  private final DecisionList decisions = new DecisionList();
  private final Compared.Builder compared = Compared.newBuilder();
  private final Map<Integer, AckList> acks = new HashMap<>();
  private final MetadataWarningList warnings = new MetadataWarningList();
  private final FileResults.Builder results = FileResults.newBuilder();

  /** Digests of the files in {@link #results}. */
  private final ByteString.Output digests = ByteString.newOutput(DIGESTS_CAPACITY);

  private int resultChars;

  /**
   * @param messages takes whole messages, in order
   */
  ResultBatcher(Consumer<Control.Builder> messages) {
    this.messages = messages;
  }

  /** The last entry with a decision; 0 for none. */
  long decidedThrough() {
    return decisions.last();
  }

  /** Adds the decision on the next entry. */
  void decide(long id, Decision decision, List<Range> kept) {
    decisions.add(id, decision, kept);
  }

  /** Adds the second decision, on a compared file. */
  void decideCompared(long id, Decision decision, List<Range> kept) {
    ComparedFile.Builder file = ComparedFile.newBuilder().setId(id).setDecision(decision);
    if (!kept.isEmpty()) {
      file.setPartial(DecisionList.partial(id, kept));
    }
    compared.addFiles(file);
  }

  /** Acknowledges a frame, so that the sender need not keep it. */
  void acknowledge(int stream, long number) {
    acks.computeIfAbsent(stream, s -> new AckList()).written(number);
  }

  /** Reports a damaged frame, which must be sent again. */
  void reject(int stream, long number) {
    acks.computeIfAbsent(stream, s -> new AckList()).damaged(number);
  }

  /** Adds a warning about an attribute of an entry in place. */
  void warn(long id, ErrorCode code, String message) {
    if (warnings.add(id, code, message)) {
      flush();
    }
  }

  /**
   * @param missing bytes of a file that are not kept for a later transfer
   */
  void fail(long id, ErrorCode failure, String message, long missing) {
    String text = MessageText.fit(message);
    resultChars += text.length();
    results.addFailed(
        FileFailure.newBuilder()
            .setId(id)
            .setCode(failure.wireCode())
            .setMessage(text)
            .setMissing(missing));
    flushIfFull();
  }

  void done(long id, byte[] digest) {
    if (digests.size() != digest.length * results.getDoneCount()) {
      flush(); // those of one message have one length
    }
    results.addDone(id);
    digests.write(digest, 0, digest.length);
    flushIfFull();
  }

  private void flushIfFull() {
    int count = results.getDoneCount() + results.getFailedCount();
    if (count >= MAX_RESULTS || resultChars >= MAX_RESULT_CHARS) {
      flush();
    }
  }

  /** Whether there is anything to send. */
  boolean hasAny() {
    return decisions.hasAny()
        || compared.getFilesCount() > 0
        || !acks.isEmpty()
        || warnings.hasAny()
        || results.getDoneCount() + results.getFailedCount() > 0;
  }

  /** Sends everything collected. Decisions precede the messages that depend on them. */
  void flush() {
    decisions.flush(messages);
    if (compared.getFilesCount() > 0) {
      messages.accept(Control.newBuilder().setCompared(compared.build()));
      compared.clear();
    }
    for (Map.Entry<Integer, AckList> list : acks.entrySet()) {
      messages.accept(Control.newBuilder().setFrameAcks(list.getValue().message(list.getKey())));
    }
    acks.clear();
    warnings.flush(messages);
    if (results.getDoneCount() + results.getFailedCount() > 0) {
      results.setDigests(digests.toByteString());
      messages.accept(Control.newBuilder().setFileResults(results.build()));
      results.clear();
      digests.reset();
      resultChars = 0;
    }
  }

  /** Acknowledgements of one stream, in runs. */
  private static final class AckList {
    private final FrameAcks.Builder message = FrameAcks.newBuilder();

    void written(long number) {
      int last = message.getWrittenCount() - 2;
      if (last >= 0 && message.getWritten(last) + message.getWritten(last + 1) == number) {
        message.setWritten(last + 1, message.getWritten(last + 1) + 1);
      } else {
        message.addWritten(number).addWritten(1);
      }
    }

    void damaged(long number) {
      message.addDamaged(number);
    }

    FrameAcks.Builder message(int stream) {
      return message.setStream(stream);
    }
  }
}
