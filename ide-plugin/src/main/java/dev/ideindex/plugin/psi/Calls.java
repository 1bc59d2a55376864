package dev.ideindex.plugin.psi;

import com.intellij.openapi.progress.ProgressManager;
import com.intellij.openapi.vfs.VirtualFile;
import com.intellij.psi.PsiElement;
import com.intellij.psi.PsiFile;
import com.intellij.psi.PsiNamedElement;
import com.intellij.psi.PsiRecursiveElementWalkingVisitor;
import com.intellij.psi.PsiReference;
import com.intellij.psi.search.GlobalSearchScope;
import dev.ideindex.plugin.lang.LanguageSupport;
import dev.ideindex.plugin.lang.Languages;
import dev.ideindex.plugin.spi.HostException;
import dev.ideindex.plugin.spi.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The operation {@code calls}: who calls a function, and whom it calls. */
final class Calls {
    private final Map<PsiElement, List<Object>> sites = new LinkedHashMap<>();
    private final Places places = new Places(Places.NO_CAP);
    private final int cap;
    private boolean cut;

    private Calls(int cap) {
        this.cap = cap;
    }

    static Map<String, Object> run(Call call) throws Exception {
        VirtualFile virtual = call.file();
        boolean incoming = call.arguments().flag("incoming");
        return call.readIndexed(() -> {
            PsiFile file = call.psi(virtual);
            Calls calls = new Calls(call.arguments().number("cap", Places.NO_CAP));
            for (PsiElement target : Targets.at(file, call.offset(file))) {
                if (incoming) {
                    calls.callers(target, GlobalSearchScope.projectScope(call.project()));
                } else {
                    calls.callees(target.getNavigationElement());
                }
            }
            return calls.answer();
        });
    }

    private void callers(PsiElement target, GlobalSearchScope scope) throws HostException {
        Languages.of(target).references(target, scope, reference -> {
            ProgressManager.checkCanceled();
            LanguageSupport support = Languages.of(reference.getElement());
            PsiElement caller = support.isCall(reference) ? support.enclosing(reference.getElement()) : null;
            return caller == null || add(caller, reference);
        });
    }

    private void callees(PsiElement function) {
        LanguageSupport support = Languages.of(function);
        function.accept(new PsiRecursiveElementWalkingVisitor() {
            @Override
            public void visitElement(PsiElement element) {
                ProgressManager.checkCanceled();
                super.visitElement(element);
                for (PsiReference reference : element.getReferences()) {
                    callee(support, reference);
                }
            }
        });
    }

    private void callee(LanguageSupport support, PsiReference reference) {
        if (!support.isCall(reference)) {
            return;
        }
        for (PsiElement target : Targets.resolve(reference)) {
            PsiElement meant = support.meant(reference, reference.getElement(), target);
            if (Languages.of(meant).isCallable(meant)) {
                add(meant, reference);
            }
        }
    }

    private boolean add(PsiElement function, PsiReference reference) {
        if (!sites.containsKey(function) && sites.size() >= cap) {
            cut = true;
            return false;
        }
        PsiElement element = reference.getElement();
        Map<String, Object> site = places.of(element,
                reference.getRangeInElement().shiftRight(element.getTextRange().getStartOffset()));
        if (site != null) {
            List<Object> known = sites.computeIfAbsent(function, f -> new ArrayList<>());
            if (!known.contains(site)) {
                known.add(site);
            }
        }
        return true;
    }

    private Map<String, Object> answer() {
        List<Object> calls = new ArrayList<>();
        sites.forEach((function, where) -> {
            Map<String, Object> declaration = places.ofDeclaration(function);
            if (declaration != null) {
                String name = function instanceof PsiNamedElement named ? named.getName() : null;
                calls.add(Json.object("name", name == null ? "" : name, "declaration", declaration, "sites", where));
            }
        });
        return Json.object("calls", calls, "cut", cut);
    }
}
