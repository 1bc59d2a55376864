// Prints each path of a list whose file javac cannot parse.
import com.sun.source.util.JavacTask;
import java.nio.file.*;
import java.util.*;
import javax.tools.*;
class Parse {
    public static void main(String[] args) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        for (String path : Files.readAllLines(Path.of(args[0]))) {
            if (path.isEmpty()) continue;
            DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
            StandardJavaFileManager files = compiler.getStandardFileManager(found, null, null);
            JavacTask task = (JavacTask) compiler.getTask(null, files, found, List.of("-proc:none", "-XDrawDiagnostics"), null, files.getJavaFileObjects(path));
            task.parse();
            if (found.getDiagnostics().stream().anyMatch(d -> d.getKind() == Diagnostic.Kind.ERROR)) System.out.println(path);
        }
    }
}
