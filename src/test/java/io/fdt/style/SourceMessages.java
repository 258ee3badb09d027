package io.fdt.style;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.CatchTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ConditionalExpressionTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * The messages that the product's sources give to {@code FdtException} and {@code UsageException},
 * as javac parses them.
 */
final class SourceMessages {
  /** What stands for everything that is known only at run time. */
  static final String HOLE = "\u25a1";

  /**
   * A message.
   *
   * @param where file and line
   * @param code of the FdtException; USAGE for a UsageException; empty when it is not constant
   * @param texts what it can be: two for a condition
   * @param foreign exceptions whose own text is a part of it, as declared in their catch
   */
  record Message(String where, String code, List<String> texts, List<String> foreign) {}

  private final List<Message> messages = new ArrayList<>();

  /** All messages of the modules beneath a directory. */
  static List<Message> of(Path root, List<String> modules) throws IOException {
    List<Path> sources = sources(root, modules);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    SourceMessages found = new SourceMessages();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  files,
                  null,
                  List.of("-proc:none"),
                  null,
                  files.getJavaFileObjectsFromPaths(sources));
      Trees trees = Trees.instance(task);
      for (CompilationUnitTree unit : task.parse()) {
        found.scan(unit, trees);
      }
    }
    return found.messages;
  }

  static List<Path> sources(Path root, List<String> modules) throws IOException {
    List<Path> sources = new ArrayList<>();
    for (String module : modules) {
      try (Stream<Path> files = Files.walk(root.resolve(module).resolve("src/main/java"))) {
        files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
      }
    }
    return sources;
  }

  private void scan(CompilationUnitTree unit, Trees trees) {
    String file = Path.of(unit.getSourceFile().toUri()).getFileName().toString();
    new TreePathScanner<Void, Void>() {
      @Override
      public Void visitNewClass(NewClassTree made, Void none) {
        String type = made.getIdentifier().toString();
        int at = type.equals("FdtException") ? 1 : type.equals("UsageException") ? 0 : -1;
        if (at >= 0 && made.getArguments().size() > at) {
          long line =
              unit.getLineMap()
                  .getLineNumber(trees.getSourcePositions().getStartPosition(unit, made));
          ExpressionTree text = made.getArguments().get(at);
          messages.add(
              new Message(
                  file + ":" + line,
                  at == 0 ? "USAGE" : code(made.getArguments().get(0)),
                  texts(text),
                  foreign(text, getCurrentPath())));
        }
        return super.visitNewClass(made, null);
      }
    }.scan(unit, null);
  }

  private static String code(ExpressionTree code) {
    return code instanceof MemberSelectTree select ? select.getIdentifier().toString() : "";
  }

  /** What an expression can be, with a hole for each part that is not constant. */
  private static List<String> texts(ExpressionTree text) {
    if (text instanceof LiteralTree literal && literal.getValue() instanceof String value) {
      return List.of(value);
    }
    if (text instanceof ParenthesizedTree inner) {
      return texts(inner.getExpression());
    }
    if (text instanceof ConditionalExpressionTree choice) {
      List<String> both = new ArrayList<>(texts(choice.getTrueExpression()));
      both.addAll(texts(choice.getFalseExpression()));
      return both;
    }
    if (text instanceof BinaryTree sum && sum.getKind() == Tree.Kind.PLUS) {
      List<String> all = new ArrayList<>();
      for (String left : texts(sum.getLeftOperand())) {
        for (String right : texts(sum.getRightOperand())) {
          all.add(left + right);
        }
      }
      return all;
    }
    if (text instanceof MethodInvocationTree call
        && call.getMethodSelect() instanceof MemberSelectTree select
        && select.getIdentifier().contentEquals("formatted")) {
      return texts(select.getExpression()).stream()
          .map(template -> template.replaceAll("%[-+0-9.$,]*[a-zA-Z]", HOLE).replace("%%", "%"))
          .toList();
    }
    return List.of(HOLE);
  }

  /** The types of caught exceptions whose getMessage is called within a text. */
  private static List<String> foreign(ExpressionTree text, TreePath path) {
    List<String> types = new ArrayList<>();
    new com.sun.source.util.TreeScanner<Void, Void>() {
      @Override
      public Void visitMethodInvocation(MethodInvocationTree call, Void none) {
        if (call.getMethodSelect() instanceof MemberSelectTree select
            && select.getIdentifier().contentEquals("getMessage")
            && select.getExpression() instanceof IdentifierTree variable) {
          types.add(declared(variable.getName().toString(), path));
        }
        return super.visitMethodInvocation(call, null);
      }
    }.scan(text, null);
    return types;
  }

  private static String declared(String variable, TreePath path) {
    for (TreePath at = path; at != null; at = at.getParentPath()) {
      if (at.getLeaf() instanceof CatchTree caught
          && caught.getParameter().getName().contentEquals(variable)) {
        return caught.getParameter().getType().toString();
      }
      if (at.getLeaf() instanceof ClassTree) {
        break;
      }
    }
    return "";
  }
}
