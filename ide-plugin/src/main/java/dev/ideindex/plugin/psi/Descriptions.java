package dev.ideindex.plugin.psi;

import com.intellij.lang.ExpressionTypeProvider;
import com.intellij.lang.LanguageExpressionTypes;
import com.intellij.openapi.vfs.VirtualFile;
import com.intellij.psi.PsiElement;
import com.intellij.psi.PsiFile;
import dev.ideindex.plugin.lang.Languages;
import dev.ideindex.plugin.lang.Markdown;
import dev.ideindex.plugin.spi.Json;
import java.util.List;
import java.util.Map;

/** The operations {@code describe} and {@code type}. */
final class Descriptions {
    private Descriptions() {}

    static Map<String, Object> describe(Call call) throws Exception {
        VirtualFile virtual = call.file();
        return call.read(() -> {
            PsiFile file = call.psi(virtual);
            int offset = call.offset(file);
            PsiElement original = file.findElementAt(offset);
            for (PsiElement target : Targets.at(file, offset)) {
                String text = Languages.of(target).documentation(target, original);
                if (text != null) {
                    return Json.object("markdown", text);
                }
            }
            return Json.object();
        });
    }

    static Map<String, Object> type(Call call) throws Exception {
        VirtualFile virtual = call.file();
        return call.read(() -> {
            PsiFile file = call.psi(virtual);
            PsiElement leaf = file.findElementAt(call.offset(file));
            return Json.object("type", leaf == null ? null : type(leaf));
        });
    }

    private static String type(PsiElement leaf) {
        for (ExpressionTypeProvider<?> provider : LanguageExpressionTypes.INSTANCE.allForLanguage(leaf.getLanguage())) {
            String type = type(provider, leaf);
            if (type != null) {
                return type;
            }
        }
        return null;
    }

    /** Of the expressions around the leaf the first is the innermost one. */
    private static <T extends PsiElement> String type(ExpressionTypeProvider<T> provider, PsiElement leaf) {
        List<T> expressions = provider.getExpressionsAt(leaf);
        if (expressions.isEmpty()) {
            return null;
        }
        String html = provider.getInformationHint(expressions.get(0));
        return html == null || html.isBlank() ? null : Markdown.plain(html);
    }
}
