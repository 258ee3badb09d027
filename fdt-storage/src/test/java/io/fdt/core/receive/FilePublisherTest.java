package io.fdt.core.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.digest.DigestMethod;
import io.fdt.core.engine.StreamSet;
import io.fdt.core.engine.meter.CheckMeter;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.session.receiver.IncomingFile;
import io.fdt.core.session.receiver.PackedFiles;
import io.fdt.core.session.receiver.ReceiverEvent;
import io.fdt.core.spec.Assurance;
import io.fdt.core.spec.Specs;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationTreeContract;
import io.fdt.core.storage.forward.ForwardingDirectory;
import io.fdt.core.wire.PackRecord;
import io.fdt.storage.local.destination.LocalDestination;
import io.netty.buffer.Unpooled;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which received files get their final names, in a real directory. */
class FilePublisherTest {
  private static final int BLOCK = TransferSpec.MIN_BLOCK;
  private static final DigestMethod METHOD = DigestMethod.of(Checksum.CRC32C, BLOCK);

  @TempDir Path root;

  private final List<ReceiverEvent<ReceivedFileWriter>> events = new ArrayList<>();
  private final List<String> forced = new ArrayList<>();

  /** A data node that is gone may not have written what it reported: here it wrote other bytes. */
  @Test
  void aFileThatIsInDoubtIsReadBackBeforeItGetsItsName() throws Exception {
    FdtException failure = publish(true);

    assertThat(failure.code()).isEqualTo(ErrorCode.IO);
    assertThat(failure)
        .hasMessageContaining("a data node has left, and a part of its data is missing");
    assertThat(root.resolve("out/file")).doesNotExist();
  }

  @Test
  void aFileThatIsNotInDoubtIsNotReadBack() throws Exception {
    assertThat(publish(false)).isNull();
    assertThat(root.resolve("out/file")).hasContent("bad");
  }

  @Test
  void aFileThatReadsBackDifferentlyNeverGetsItsName() throws Exception {
    FdtException failure = publish(false, new Assurance(METHOD.checksum(), true, false));

    assertThat(failure.code()).isEqualTo(ErrorCode.VERIFICATION);
    assertThat(root.resolve("out/file")).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theDirectoryIsForcedOnceTheFileHasItsNameWhereThatIsAskedFor(boolean fsync)
      throws Exception {
    assertThat(publish(false, new Assurance(METHOD.checksum(), false, fsync))).isNull();

    assertThat(forced).containsExactlyElementsOf(fsync ? List.of("file is there") : List.of());
  }

  private FdtException publish(boolean doubtful) throws Exception {
    return publish(doubtful, new Assurance(METHOD.checksum(), false, false));
  }

  private FdtException publish(boolean doubtful, Assurance assurance) throws Exception {
    CheckMeter checks = new CheckMeter();
    try (LocalDestination destination =
            LocalDestination.trusted(BytePath.of(root.resolve("out")), true);
        FilePublisher publisher =
            new FilePublisher(
                new ThisThread(),
                new Events(),
                Specs.blocks(BLOCK, assurance),
                new ReceivedDigests(METHOD, checks),
                checks,
                new Backpressure(new StreamSet(), 1 << 20),
                new ThisThread(),
                new ThisThread())) {
      ReceivedFileWriter writer =
          new ReceivedFileWriter(
              ENTRY,
              new Place(
                  new Forced(
                      destination.open(List.of(DestinationTreeContract.CONTENTS)).directory()),
                  ENTRY.name()),
              List.of(),
              Optional.empty());
      writer.writeWhole(Unpooled.copiedBuffer("bad", StandardCharsets.US_ASCII));
      // Its digest is that of no bytes: no block has arrived.
      IncomingFile<ReceivedFileWriter> file =
          PackedFiles.wanted(ENTRY, METHOD, writer, new PackRecord(1, 3, 0, 0)).file();
      publisher.publish(file, doubtful);
      writer.close();
    }
    assertThat(events).hasSize(1);
    return publishedFailure(events.get(0));
  }

  @SuppressWarnings("unchecked") // a proxy cannot have type arguments
  private static FdtException publishedFailure(ReceiverEvent<ReceivedFileWriter> event)
      throws FdtException {
    FdtException[] failure = new FdtException[1];
    ReceiverEvent.Handler<ReceivedFileWriter> handler =
        (ReceiverEvent.Handler<ReceivedFileWriter>)
            Proxy.newProxyInstance(
                FilePublisherTest.class.getClassLoader(),
                new Class<?>[] {ReceiverEvent.Handler.class},
                (proxy, method, arguments) -> {
                  assertThat(method.getName()).isEqualTo("published");
                  failure[0] = (FdtException) arguments[2];
                  return null;
                });
    event.happenTo(handler);
    return failure[0];
  }

  private static final Entry ENTRY =
      new Entry(
          1,
          Entry.ROOT,
          FileName.of("file"),
          EntryKind.FILE,
          3,
          0644,
          DestinationTreeContract.MODIFIED,
          BytePath.EMPTY);

  private final class Forced extends ForwardingDirectory {
    Forced(DestinationDirectory directory) {
      super(directory);
    }

    @Override
    protected DestinationDirectory wrap(DestinationDirectory child) {
      return child;
    }

    @Override
    public void force() throws FdtException {
      forced.add(root.resolve("out/file").toFile().exists() ? "file is there" : "too early");
      super.force();
    }
  }

  private final class Events implements ReceiverEvents {
    @Override
    public void handle(ReceiverEvent<ReceivedFileWriter> event) {
      events.add(event);
    }

    @Override
    public void post(ReceiverEvent<ReceivedFileWriter> event) {
      events.add(event);
    }
  }
}
