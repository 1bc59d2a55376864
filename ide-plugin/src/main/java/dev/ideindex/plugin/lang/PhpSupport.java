package dev.ideindex.plugin.lang;

import com.intellij.psi.PsiElement;
import dev.ideindex.plugin.spi.HostException;
import java.util.Collection;

/** PHP. */
public final class PhpSupport extends NeutralSupport {
    private static final String PSI = "com.jetbrains.php.lang.psi.elements.";

    @Override
    public Collection<PsiElement> supertypes(PsiElement type) throws HostException {
        return Reflection.elements(Reflection.call(PSI + "PhpClass", type, "getSupers"));
    }

    @Override
    public boolean isCallable(PsiElement element) {
        return Reflection.is(element, PSI + "Function");
    }
}
