package io.fdt.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.core.model.Grant;
import io.fdt.core.node.Node;
import io.fdt.core.transport.Acceptor;
import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.StreamSlot;
import io.fdt.core.transport.Transport;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import io.fdt.server.FrontEnd;
import io.fdt.server.NamedTokens;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One file that several machines send and several tasks fetch. */
@Timeout(100)
class StripedSourceTest {
  @TempDir Path root;

  /** The data streams that one server has accepted. */
  private static final class Streams {
    private final Queue<DataStream> accepted = new ConcurrentLinkedQueue<>();

    Transport.Factory transport() {
      return (loops, allocator, timeout) -> {
        Transport tcp = Node.TCP.create(loops, allocator, timeout);
        return watched(Transport.class, tcp);
      };
    }

    /** The same, whose accepted streams are remembered. */
    private <T> T watched(Class<T> type, T one) {
      return type.cast(
          Proxy.newProxyInstance(
              type.getClassLoader(),
              new Class<?>[] {type},
              (proxy, method, arguments) -> {
                for (int i = 0; arguments != null && i < arguments.length; i++) {
                  if (arguments[i] instanceof Acceptor acceptor) {
                    arguments[i] = watched(Acceptor.class, acceptor);
                  }
                }
                try {
                  Object answer = method.invoke(one, arguments);
                  return answer instanceof StreamSlot slot ? watched(slot) : answer;
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              }));
    }

    private StreamSlot watched(StreamSlot slot) {
      return new StreamSlot(
          slot.settings(),
          stream -> {
            accepted.add(stream);
            return slot.handlers().apply(stream);
          },
          slot.giveBack());
    }

    long bytes() {
      return accepted.stream().mapToLong(DataStream::wireBytes).sum();
    }
  }

  @Test
  void severalTasksFetchOneFileFromAllMachinesOfAServer() throws Exception {
    Path source = Files.createDirectory(root.resolve("source"));
    Path target = Files.createDirectory(root.resolve("target"));
    byte[] content = new byte[(24 << 20) + 7];
    new SplittableRandom(1).nextBytes(content);
    Files.write(source.resolve("huge"), content);
    Path home = root.resolve("front");
    Streams ofFront = new Streams();
    Streams ofNode = new Streams();
    try (FdtServer front =
        TestSpark.server(home)
            .export(Export.readOnly("data", source))
            .transport(ofFront.transport())
            .build()) {
      front.start();
      try (FdtServer node =
          TestSpark.server(root.resolve("node"))
              .export(Export.readOnly("data", source))
              .transport(ofNode.transport())
              .join(frontEnd(front, home))
              .build()) {
        node.start();
        await("the data node").atMost(60, TimeUnit.SECONDS).until(() -> front.dataNodes() == 1);

        Dataset<Row> rows =
            FdtSpark.copy(
                TestSpark.session(),
                "--accept-new",
                "--unit-bytes",
                "6M",
                "--block-size",
                "128K",
                TestSpark.url(front, "/data/huge"),
                target + "/");

        assertThat(Files.readAllBytes(target.resolve("huge"))).isEqualTo(content);
        assertThat(target.toFile().list()).containsExactly("huge");
        Row only = rows.collectAsList().get(0);
        assertThat(rows.count()).isEqualTo(1);
        assertThat(only.getString(1)).isEqualTo("done");
        assertThat(only.getLong(2)).isEqualTo(content.length);
        assertThat(ofFront.bytes()).as("bytes of the front end").isGreaterThan(128 << 10);
        assertThat(ofNode.bytes()).as("bytes of the data node").isGreaterThan(128 << 10);
        assertThat(ofFront.bytes() + ofNode.bytes())
            .as("each byte once")
            .isBetween((long) content.length, content.length * 105L / 100);
      }
    }
  }

  private static FrontEnd frontEnd(FdtServer front, Path home) throws Exception {
    String token = NamedTokens.ofHome(home).create(Grant.dataNode("node", Instant.now()));
    return new FrontEnd("127.0.0.1", front.address().getPort(), front.fingerprint(), token, "");
  }
}
