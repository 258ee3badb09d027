package io.fdt.core.receive;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.fdt.core.engine.SessionRuntime;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.spec.Specs;
import io.fdt.core.storage.ExportedStorage;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.core.transport.DataStream;
import io.fdt.core.wire.Crc32c;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.ReceivedFrame;
import io.fdt.core.wire.stripe.CloseFile;
import io.fdt.core.wire.stripe.FromNode;
import io.fdt.core.wire.stripe.Held;
import io.fdt.core.wire.stripe.SharedFile;
import io.fdt.core.wire.stripe.ToNode;
import io.fdt.core.wire.stripe.WriteHeld;
import io.fdt.storage.local.LocalExports;
import io.fdt.storage.local.Sandbox;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a data node handles frames, in a real directory. */
class NodeReceiverTest {
  private static final int STREAM = 4;
  private static final long FILE = 9;
  private static final String PART = TemporaryName.Kind.PART.name(7).toString();

  private final List<FromNode> answers = new ArrayList<>();
  private Sandbox sandbox;
  private ExportedStorage exports;
  private Path partial;
  private NodeReceiver node;
  private DataStream.Handler stream;
  private boolean hearsFrontEnd = true;

  @BeforeEach
  void open() throws Exception {
    sandbox = new Sandbox();
    sandbox.directory("shared");
    partial = sandbox.write("shared/" + PART, "....");
    exports =
        LocalExports.open(
            List.of(
                new ExportedStorage.Root(FileName.of("data"), sandbox.bytePath("shared"), true)));
    ThisThread threads = new ThisThread();
    node =
        new NodeReceiver(
            new SessionRuntime("test", threads, threads),
            Specs.blocks(1 << 16),
            exports.nodeFiles(),
            message -> answers.add(message.build()),
            () -> 0,
            () -> hearsFrontEnd);
    stream = node.attach(new SilentStream(STREAM));
  }

  @AfterEach
  void close() throws Exception {
    node.close();
    exports.close();
    sandbox.close();
  }

  /** The front end may have abandoned the file, or published it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aBlockIsWrittenOnlyWhileTheFrontEndIsHeard(boolean isHeard) throws Exception {
    frame(FrameHeader.Type.BLOCK);
    hearsFrontEnd = isHeard;

    write();

    assertThat(partial).hasContent(isHeard ? "good" : "....");
    FromNode answer = answers.get(answers.size() - 1);
    assertThat(answer.hasWritten()).isTrue();
    assertThat(answer.getWritten().getWhy().getCode())
        .isEqualTo(isHeard ? 0 : ErrorCode.UNREACHABLE.wireCode());
  }

  @Test
  void aBlockIsWrittenWhenTheFrontEndSaysSo() throws Exception {
    frame(FrameHeader.Type.BLOCK);
    assertThat(partial).hasContent("....");
    assertThat(answers).noneMatch(FromNode::hasPayload);

    write();
    node.onMessage(ToNode.newBuilder().setCloseFile(CloseFile.newBuilder().setId(FILE)).build());

    assertThat(partial).hasContent("good");
    assertThat(answers.get(answers.size() - 1).getFileClosed().getId()).isEqualTo(FILE);
  }

  @Test
  void smallFilesGoToTheFrontEnd() throws Exception {
    frame(FrameHeader.Type.PACK);

    assertThat(answers)
        .filteredOn(FromNode::hasPayload)
        .singleElement()
        .matches(message -> message.getPayload().getBytes().toStringUtf8().equals("good"));
    assertThat(partial).hasContent("....");
  }

  private void frame(FrameHeader.Type type) throws Exception {
    ByteBuf bytes = Unpooled.copiedBuffer("good", StandardCharsets.US_ASCII);
    int crc = Crc32c.of(bytes, 0, 4);
    FrameHeader header =
        type == FrameHeader.Type.PACK
            ? FrameHeader.pack(1, 1, 4, crc)
            : FrameHeader.block(1, FILE, 0, 4, crc);
    stream.frame(new ReceivedFrame(header, bytes, true));
  }

  private void write() throws Exception {
    SharedFile file =
        SharedFile.newBuilder()
            .setId(FILE)
            .setSize(4)
            .setPath(ByteString.copyFrom(BytePath.of("/data/" + PART).bytes()))
            .setInode((Long) Files.getAttribute(partial, "unix:ino"))
            .build();
    Held held = Held.newBuilder().setStream(STREAM).setNumber(1).build();
    node.onMessage(
        ToNode.newBuilder().setWrite(WriteHeld.newBuilder().setFrame(held).setFile(file)).build());
  }
}
