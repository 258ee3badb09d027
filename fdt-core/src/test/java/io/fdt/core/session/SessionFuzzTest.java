package io.fdt.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.session.receiver.FedReceiver;
import io.fdt.core.session.sender.FedSender;
import java.util.Random;

/** Arbitrary control messages and frames against real sessions: PROTOCOL, or nothing. */
class SessionFuzzTest {
  private static final long SEED = 20261121;

  @FuzzTest
  void receiver(FuzzedDataProvider data) {
    try (FedReceiver receiver = new FedReceiver(Recording.MAX_PAYLOAD, message -> {})) {
      while (data.remainingBytes() > 0) {
        boolean control = data.consumeBoolean();
        byte[] bytes = data.consumeBytes(data.consumeInt(1, 2048));
        if (control) {
          receiver.control(bytes);
        } else {
          receiver.data(bytes);
        }
      }
    } catch (FdtException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL);
    }
  }

  @FuzzTest
  void sender(byte[] data) {
    RandomDataset dataset = new RandomDataset(new Random(SEED));
    try (FedSender sender = new FedSender(dataset, message -> {}, bytes -> {})) {
      sender.start();
      sender.control(data);
    } catch (FdtException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL);
    }
  }
}
