package dev.ideindex.plugin.psi;

import com.intellij.openapi.progress.ProgressManager;
import com.intellij.openapi.vfs.VirtualFile;
import com.intellij.psi.PsiElement;
import com.intellij.psi.PsiFile;
import com.intellij.psi.search.GlobalSearchScope;
import com.intellij.util.Processor;
import dev.ideindex.plugin.lang.LanguageSupport;
import dev.ideindex.plugin.lang.Languages;
import dev.ideindex.plugin.spi.HostException;
import java.util.Map;

/** The operation {@code places}: what stands in a relation to a name. */
final class Relations {
    private Relations() {}

    static Map<String, Object> run(Call call) throws Exception {
        String relation = call.arguments().text("relation");
        VirtualFile file = call.file();
        boolean needsIndex = !relation.equals("definition") && !relation.equals("supertypes") && !relation.equals("superMethods");
        return needsIndex ? call.readIndexed(() -> find(call, relation, file)) : call.read(() -> find(call, relation, file));
    }

    private static Map<String, Object> find(Call call, String relation, VirtualFile virtual) throws HostException {
        PsiFile file = call.psi(virtual);
        Places places = new Places(call.arguments().number("cap", Places.NO_CAP));
        for (PsiElement target : Targets.at(file, call.offset(file))) {
            if (!collect(relation, target, call, places)) {
                break;
            }
        }
        return places.answer();
    }

    private static boolean collect(String relation, PsiElement target, Call call, Places places) throws HostException {
        LanguageSupport support = Languages.of(target);
        Processor<PsiElement> declarations = found -> {
            ProgressManager.checkCanceled();
            return places.addDeclaration(found);
        };
        switch (relation) {
            case "definition":
                return places.addDeclaration(target);
            case "references":
                return support.references(target, GlobalSearchScope.projectScope(call.project()), reference -> {
                    ProgressManager.checkCanceled();
                    return places.addReference(reference);
                });
            case "implementations":
                return support.implementations(target, GlobalSearchScope.projectScope(call.project()), declarations);
            case "subtypes":
                return support.subtypes(target, GlobalSearchScope.projectScope(call.project()), declarations);
            case "supertypes":
                return each(support.supertypes(target), declarations);
            case "superMethods":
                return each(support.superMethods(target), declarations);
            default:
                throw new HostException(HostException.UNSUPPORTED, "there is no relation `" + relation + "`");
        }
    }

    private static boolean each(Iterable<PsiElement> found, Processor<PsiElement> process) {
        for (PsiElement element : found) {
            if (!process.process(element)) {
                return false;
            }
        }
        return true;
    }
}
