package dev.ideindex.plugin.psi;

import com.intellij.lang.ImportOptimizer;
import com.intellij.lang.LanguageImportStatements;
import com.intellij.openapi.vfs.VirtualFile;
import com.intellij.psi.PsiFile;
import com.intellij.psi.PsiFileFactory;
import com.intellij.psi.codeStyle.CodeStyleManager;
import dev.ideindex.plugin.spi.HostException;
import dev.ideindex.plugin.spi.Json;
import java.util.Map;
import java.util.Set;

/** The operations {@code format} and {@code imports}: both work on a copy, and hand back its text. */
final class Copies {
    private Copies() {}

    /** A copy in memory that nobody listens to; its code resolves as that of the file does. Only inside of a read. */
    static PsiFile of(PsiFile file, String text) {
        PsiFile copy = PsiFileFactory.getInstance(file.getProject())
                .createFileFromText(file.getName(), file.getLanguage(), text, false, true, true, file.getVirtualFile());
        copy.putUserData(PsiFileFactory.ORIGINAL_FILE, file);
        return copy;
    }

    /** The text that the call brings, else that of the file. */
    private static Text wanted(Call call, PsiFile file) throws HostException {
        String brought = call.arguments().text("text", null);
        return brought == null ? Text.of(file) : new Text(Lines.unix(brought));
    }

    static Map<String, Object> format(Call call) throws Exception {
        if (call.arguments().flag("rearrange")) {
            throw new HostException(HostException.UNSUPPORTED, "the IDE rearranges only what is written");
        }
        VirtualFile virtual = call.file();
        return call.read(() -> {
            PsiFile file = call.psi(virtual);
            Text text = wanted(call, file);
            int start = text.offset(call.arguments().number("startLine", 1), 1);
            int lastLine = Math.min(call.arguments().number("endLine", text.lineCount()), text.lineCount());
            int end = lastLine < text.lineCount() ? text.offset(lastLine + 1, 1) - 1 : text.length();
            PsiFile copy = of(file, text.characters().toString());
            CodeStyleManager.getInstance(call.project()).reformatRange(copy, start, end);
            return answer(copy, virtual, call);
        });
    }

    static Map<String, Object> imports(Call call) throws Exception {
        VirtualFile virtual = call.file();
        return call.readIndexed(() -> {
            PsiFile file = call.psi(virtual);
            PsiFile copy = of(file, wanted(call, file).characters().toString());
            Set<ImportOptimizer> optimizers = LanguageImportStatements.INSTANCE.forFile(copy);
            if (optimizers.isEmpty()) {
                throw new HostException(HostException.UNSUPPORTED, "the IDE optimises no imports of " + file.getName());
            }
            for (ImportOptimizer optimizer : optimizers) {
                optimizer.processFile(copy).run();
            }
            return answer(copy, virtual, call);
        });
    }

    /** With the ends of lines that the file has on disk. */
    private static Map<String, Object> answer(PsiFile copy, VirtualFile virtual, Call call) throws HostException {
        return Json.object("text", copy.getText().replace("\n", Lines.separator(virtual, call.project())));
    }
}
