package io.fdt.core.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Entry;
import io.fdt.core.model.PathText;
import io.fdt.core.wire.control.ManifestBatch;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.List;

/**
 * Decoders of what comes from the network, with arbitrary bytes: they give a value, or an {@link
 * FdtException}; any other exception is a finding, and so is time or memory without bound.
 */
class WireFuzzTest {
  private static final int MAX_PAYLOAD = 1 << 16;

  private interface Decoder {
    void decode(ByteBuf in) throws FdtException;
  }

  /** Fewer bytes than the fixed length are the caller's mistake, so they are not tried. */
  private static void fixed(byte[] data, int length, Decoder decoder) {
    if (data.length < length) {
      return;
    }
    ByteBuf in = Unpooled.wrappedBuffer(data);
    try {
      decoder.decode(in);
      assertThat(in.readerIndex()).isEqualTo(length);
    } catch (FdtException e) {
      assertThat(e.getMessage()).isNotEmpty();
    }
  }

  @FuzzTest
  void frameHeader(byte[] data) {
    fixed(data, FrameHeader.LENGTH, in -> FrameHeader.read(in, MAX_PAYLOAD));
  }

  /** The checksum is made right, so that what lies behind it is reached. */
  @FuzzTest
  void checkedFrameHeader(byte[] data) {
    if (data.length >= FrameHeader.LENGTH) {
      ByteBuf bytes = Unpooled.wrappedBuffer(data);
      bytes.setInt(FrameHeader.LENGTH - 4, Crc32c.of(bytes, 0, FrameHeader.LENGTH - 4));
      fixed(data, FrameHeader.LENGTH, in -> FrameHeader.read(in, MAX_PAYLOAD));
    }
  }

  @FuzzTest
  void frames(byte[] data) {
    try (FrameReader reader =
        new FrameReader(MAX_PAYLOAD, UnpooledByteBufAllocator.DEFAULT, PayloadDecoder.NONE)) {
      reader.copyAndRelease(Unpooled.wrappedBuffer(data), ReceivedFrame::release);
    } catch (FdtException e) {
      assertThat(e.getMessage()).isNotEmpty();
    }
  }

  @FuzzTest
  void preface(byte[] data) {
    fixed(data, Preface.LENGTH, Preface::read);
  }

  @FuzzTest
  void startOfAPreface(byte[] data) {
    try {
      Preface.checkStart(Unpooled.wrappedBuffer(data));
    } catch (FdtException e) {
      assertThat(e.getMessage()).hasSizeLessThan(300);
    }
  }

  @FuzzTest
  void join(byte[] data) {
    fixed(data, Join.LENGTH, Join::read);
  }

  @FuzzTest
  void joinAnswer(byte[] data) {
    fixed(data, JoinAnswer.LENGTH, JoinAnswer::read);
  }

  /** The first byte is the number of records that the header of the frame names. */
  @FuzzTest
  void pack(byte[] data) {
    if (data.length == 0) {
      return;
    }
    ByteBuf payload = Unpooled.wrappedBuffer(data, 1, data.length - 1);
    try {
      for (PackRecord record : Pack.read(payload, data[0])) {
        assertThat(record.slice(payload).readableBytes()).isEqualTo(record.size());
      }
    } catch (FdtException e) {
      assertThat(e.getMessage()).isNotEmpty();
    }
  }

  @FuzzTest
  void controlMessages(byte[] data) {
    try (ControlDecoder decoder = new ControlDecoder()) {
      decoder.feed(Unpooled.wrappedBuffer(data), message -> assertThat(message).isNotNull());
    } catch (FdtException e) {
      assertThat(e.getMessage()).isNotEmpty();
    }
  }

  @FuzzTest
  void entry(byte[] data) {
    try {
      ManifestCoding.decode(io.fdt.core.wire.control.Entry.parseFrom(data), 7);
    } catch (FdtException | com.google.protobuf.InvalidProtocolBufferException e) {
      assertThat(e.getMessage()).isNotEmpty();
    }
  }

  @FuzzTest
  void batch(byte[] data) throws FdtException {
    List<Entry> entries;
    try {
      entries = BatchCoding.decode(ManifestBatch.parseFrom(data));
    } catch (FdtException | com.google.protobuf.InvalidProtocolBufferException e) {
      assertThat(e.getMessage()).isNotEmpty();
      return;
    }
    ManifestBatch.Builder again = ManifestBatch.newBuilder();
    BatchCoding.encode(entries, again);
    if (!entries.isEmpty()) {
      again.setFirstId(entries.get(0).id());
    }
    assertThat(BatchCoding.decode(again.build())).isEqualTo(entries);
  }

  @FuzzTest
  void root(byte[] data) {
    try {
      ManifestCoding.decode(io.fdt.core.wire.control.Root.parseFrom(data));
    } catch (FdtException | com.google.protobuf.InvalidProtocolBufferException e) {
      assertThat(e.getMessage()).isNotEmpty();
    }
  }

  @FuzzTest
  void pathText(byte[] data) {
    for (String text : new String[] {PathText.escape(data), PathText.escapeRest(data)}) {
      assertThat(text.chars()).noneMatch(Character::isISOControl);
      assertThat(text.length()).isLessThanOrEqualTo(4 * data.length);
    }
  }
}
