package io.fdt.e2e.tree;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.e2e.Lab;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The comparison that other tests rely on sees every difference that matters. */
class TreeTest {
  private static final String TREE =
      """
      mkdir -p tree/d/empty; printf content > tree/d/f; printf x > $'tree/\\xff'; ln -s d/f tree/link
      mkfifo tree/fifo; cp -a tree copy; rm copy/fifo; touch -r tree copy
      """;

  @RegisterExtension final Lab lab = new Lab();

  private Path tree;
  private Path copy;

  @BeforeEach
  void makeTrees() {
    Shell.run(lab.root(), TREE);
    tree = lab.root().resolve("tree");
    copy = lab.root().resolve("copy");
  }

  @Test
  void copiesAreTheSameButForWhatIsNeverCopied() {
    Tree.assertSame(copy, tree);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "t=$(stat -c %.9Y d/f); touch -d \"@${t%?}$(((${t: -1} + 1) % 10))\" d/f",
        "touch -d '2001-01-01' d",
        "touch -d '2001-01-01' .",
        "chmod 600 d/f",
        "chmod 700 d/empty",
        "chmod 700 .",
        "touch -r d/f ../time; printf CONTENT > d/f; touch -r ../time d/f",
        "touch -r . ../time; mv $'\\xff' $'\\xfe'; touch -r ../time .",
        "touch -r . ../time; ln -sfn d/g link; touch -r ../time .",
        "touch -r d ../time; rmdir d/empty; touch -r ../time d",
        "touch -r . ../time; mkdir more; touch -r ../time .",
        "touch -r . ../time; rm link; cp d/f link; touch -r ../time .",
      })
  void everyDifferenceIsSeen(String change) {
    Shell.run(copy, change);

    assertThatThrownBy(() -> Tree.assertSame(copy, tree)).isInstanceOf(AssertionError.class);
  }
}
