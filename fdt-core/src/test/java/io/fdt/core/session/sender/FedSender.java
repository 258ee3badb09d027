package io.fdt.core.session.sender;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Entry;
import io.fdt.core.session.RandomDataset;
import io.fdt.core.session.RandomDataset.Item;
import io.fdt.core.session.RandomDataset.Step;
import io.fdt.core.wire.BatchCoding;
import io.fdt.core.wire.ControlDecoder;
import io.fdt.core.wire.Crc32c;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.Pack;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.ManifestBatch;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A real sender's session behind the real decoder, fed with the bytes of one control connection; it
 * sends a dataset on one stream as fast as it is asked.
 */
public final class FedSender implements AutoCloseable {
  private final RandomDataset dataset;
  private final Consumer<Control.Builder> outbox;
  private final Consumer<byte[]> stream;
  private final ControlDecoder decoder = new ControlDecoder();
  private final SenderDriver<Item> session;
  private long nextFrame;

  /** Files of which the receiver has said that they are done. */
  public final Set<Long> done = new HashSet<>();

  public FedSender(
      RandomDataset dataset, Consumer<Control.Builder> outbox, Consumer<byte[]> stream) {
    this.dataset = dataset;
    this.outbox = outbox;
    this.stream = stream;
    this.session =
        new SenderDriver<>(
            RandomDataset.BLOCK,
            outbox,
            (file, outcome, code, message) -> {
              if (outcome == FileOutcome.DONE) {
                done.add(file.id());
              }
            });
    session.addLane();
  }

  public SenderDriver<Item> session() {
    return session;
  }

  /** Sends the whole manifest. */
  public void start() {
    ManifestBatch.Builder batch = ManifestBatch.newBuilder().setFirstId(1);
    List<Entry> entries = new ArrayList<>();
    for (Step step : dataset.walk()) {
      if (step.item() == null) {
        batch.addEndedDirectories(step.endedDirectory());
      } else {
        Entry entry = step.item().entry();
        entries.add(entry);
        session.offer(entry, step.item(), step.item().isFile() ? 0 : -1);
      }
    }
    BatchCoding.encode(entries, batch);
    outbox.accept(Control.newBuilder().setManifestBatch(batch));
    session.endManifest();
  }

  /** Bytes of the control connection. */
  public void control(byte[] bytes) throws FdtException {
    decoder.feed(Unpooled.wrappedBuffer(bytes), this::onControl);
  }

  private void onControl(Control message) throws FdtException {
    switch (message.getBodyCase()) {
      case DECISIONS -> session.onDecisions(message.getDecisions());
      case FRAME_ACKS -> session.onAcks(message.getFrameAcks());
      case FILE_RESULTS -> session.onFileResults(message.getFileResults(), failure -> {});
      case FINISHED -> session.onFinished(message.getFinished());
      default -> throw new FdtException(ErrorCode.PROTOCOL, "not of a receiver");
    }
    for (ReadJob<Item> job = session.nextJob(0); job != null; job = session.nextJob(0)) {
      send(job);
    }
    session.flush();
  }

  private void send(ReadJob<Item> job) {
    ByteBuf payload = Unpooled.buffer();
    FrameHeader header;
    if (job instanceof ReadJob.Block<Item> block) {
      Item item = block.file().source();
      payload.writeBytes(item.content(block.offset(), block.length(), 0));
      int crc = Crc32c.of(payload, 0, block.length());
      header = FrameHeader.block(nextFrame, block.file().id(), block.offset(), block.length(), crc);
      session.onBlockRead(block, crc);
    } else {
      ReadJob.Pack<Item> pack = (ReadJob.Pack<Item>) job;
      for (OutgoingFile<Item> file : pack.files()) {
        int start = Pack.begin(payload);
        payload.writeBytes(file.source().content(0, Math.toIntExact(file.size()), 0));
        Pack.finish(payload, start, file.id());
      }
      int length = payload.readableBytes();
      header =
          FrameHeader.pack(nextFrame, pack.files().size(), length, Crc32c.of(payload, 0, length));
    }
    session.onSent(0, nextFrame++, job);
    ByteBuf frame = Unpooled.buffer();
    header.write(frame);
    frame.writeBytes(payload);
    stream.accept(ByteBufUtil.getBytes(frame));
  }

  @Override
  public void close() {
    decoder.close();
  }
}
