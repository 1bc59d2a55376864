package dev.ideindex.plugin.psi;

import com.intellij.openapi.progress.ProcessCanceledException;
import com.intellij.openapi.util.TextRange;
import com.intellij.openapi.vfs.VirtualFile;
import com.intellij.psi.PsiCompiledElement;
import com.intellij.psi.PsiElement;
import com.intellij.psi.PsiFile;
import com.intellij.psi.PsiNameIdentifierOwner;
import com.intellij.psi.PsiNamedElement;
import com.intellij.psi.PsiReference;
import dev.ideindex.plugin.spi.Json;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** Collects places in the order found, each once, up to a cap. Only inside of a read. */
final class Places {
    static final int NO_CAP = 100_000;

    private final Set<Map<String, Object>> places = new LinkedHashSet<>();
    private final Map<PsiFile, Text> texts = new HashMap<>();
    private final int cap;
    private boolean cut;

    Places(int cap) {
        this.cap = cap;
    }

    /** Adds the name of a declaration. False when the cap is reached and nothing more is wanted. */
    boolean addDeclaration(PsiElement element) {
        return add(ofDeclaration(element));
    }

    boolean addReference(PsiReference reference) {
        PsiElement element = reference.getElement();
        return add(of(element, reference.getRangeInElement().shiftRight(element.getTextRange().getStartOffset())));
    }

    boolean addRange(PsiFile file, TextRange range) {
        return add(of(file, range));
    }

    private boolean add(Map<String, Object> place) {
        if (place == null || places.contains(place)) {
            return true;
        }
        if (places.size() >= cap) {
            cut = true;
            return false;
        }
        return places.add(place);
    }

    /** The place of a declaration's name; null for what the IDE made up and no file has. */
    Map<String, Object> ofDeclaration(PsiElement element) {
        PsiElement shown = element.getNavigationElement();
        return shown.getContainingFile() == null ? null : of(shown, nameRange(shown));
    }

    /** The place of a range of the file that holds the element; null when no file of a disk or an archive does. */
    Map<String, Object> of(PsiElement element, TextRange range) {
        PsiFile file = element.getContainingFile();
        VirtualFile virtual = file == null ? null : file.getOriginalFile().getVirtualFile();
        if (virtual == null) {
            return null;
        }
        return texts.computeIfAbsent(file, Text::of).place(Files.path(virtual), range);
    }

    static TextRange nameRange(PsiElement element) {
        if (element instanceof PsiFile) {
            return new TextRange(0, 0);
        }
        if (!(element instanceof PsiCompiledElement)) {
            return writtenNameRange(element);
        }
        try {
            return writtenNameRange(element);
        } catch (ProcessCanceledException e) {
            throw e;
        } catch (RuntimeException e) {
            // A decompiler failed: the class file itself is then all that can be shown.
            return new TextRange(0, 0);
        }
    }

    private static TextRange writtenNameRange(PsiElement element) {
        PsiElement name = element instanceof PsiNameIdentifierOwner owner ? owner.getNameIdentifier() : null;
        if (name != null && name.getTextRange() != null) {
            return name.getTextRange();
        }
        TextRange whole = element.getTextRange();
        int start = element.getTextOffset();
        String text = element instanceof PsiNamedElement named ? named.getName() : null;
        if (whole == null) {
            return new TextRange(0, 0);
        }
        if (text != null && start + text.length() <= whole.getEndOffset()) {
            return new TextRange(start, start + text.length());
        }
        return new TextRange(start, Math.max(start, Math.min(whole.getEndOffset(), start + 1)));
    }

    Map<String, Object> answer() {
        return answer(false);
    }

    /** @param alsoCut that something was left out before it came here */
    Map<String, Object> answer(boolean alsoCut) {
        return Json.object("places", new ArrayList<>(places), "cut", cut || alsoCut);
    }
}
