package dev.ideindex.plugin.psi;

import com.intellij.psi.PsiElement;
import com.intellij.psi.PsiFile;
import com.intellij.psi.PsiNameIdentifierOwner;
import com.intellij.psi.PsiPolyVariantReference;
import com.intellij.psi.PsiReference;
import com.intellij.psi.ResolveResult;
import dev.ideindex.plugin.lang.LanguageSupport;
import dev.ideindex.plugin.lang.Languages;
import dev.ideindex.plugin.spi.HostException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Finds the declarations that the text at an offset means. Only inside of a read. */
final class Targets {
    private static final int MAX_PARENTS = 4;

    private Targets() {}

    /**
     * Where a name both declares and refers, as an enum constant refers to its constructor, it means what it declares.
     *
     * @throws HostException {@code no_symbol} when nothing is named there, or nothing is known of the name
     */
    static List<PsiElement> at(PsiFile file, int offset) throws HostException {
        Set<PsiElement> found = new LinkedHashSet<>();
        PsiElement leaf = file.findElementAt(offset);
        PsiReference reference = file.findReferenceAt(offset);
        PsiElement declared = leaf == null ? null : declared(leaf);
        boolean isItsOwn = reference != null && reference.getElement() == declared;
        if (reference != null && !isItsOwn) {
            LanguageSupport support = Languages.of(reference.getElement());
            for (PsiElement target : resolve(reference)) {
                found.add(support.meant(reference, leaf, target));
            }
        }
        if (found.isEmpty() && leaf != null) {
            PsiElement target = declared != null ? declared : Languages.of(leaf).atKeyword(leaf);
            if (target != null) {
                found.add(target);
            }
        }
        if (found.isEmpty()) {
            throw new HostException(HostException.NO_SYMBOL,
                    reference == null ? "no name stands there" : "the IDE does not know what it means");
        }
        return new ArrayList<>(found);
    }

    /** The best answers: those that the IDE is sure of, else all that it considered. */
    static List<PsiElement> resolve(PsiReference reference) {
        List<PsiElement> sure = new ArrayList<>();
        List<PsiElement> considered = new ArrayList<>();
        if (reference instanceof PsiPolyVariantReference poly) {
            for (ResolveResult result : poly.multiResolve(false)) {
                if (result.getElement() != null) {
                    (result.isValidResult() ? sure : considered).add(result.getElement());
                }
            }
        } else {
            PsiElement target = reference.resolve();
            if (target != null) {
                sure.add(target);
            }
        }
        return sure.isEmpty() ? considered : sure;
    }

    /** The declaration whose name the leaf is part of. */
    private static PsiElement declared(PsiElement leaf) {
        PsiElement parent = leaf.getParent();
        for (int i = 0; i < MAX_PARENTS && parent != null && !(parent instanceof PsiFile); i++) {
            if (parent instanceof PsiNameIdentifierOwner owner) {
                PsiElement name = owner.getNameIdentifier();
                return name != null && name.getTextRange() != null && name.getTextRange().contains(leaf.getTextRange())
                        ? owner : null;
            }
            parent = parent.getParent();
        }
        return null;
    }
}
