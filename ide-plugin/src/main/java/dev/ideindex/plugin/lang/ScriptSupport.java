package dev.ideindex.plugin.lang;

import com.intellij.psi.PsiElement;
import dev.ideindex.plugin.spi.HostException;
import java.util.Collection;

/** JavaScript and TypeScript. */
public final class ScriptSupport extends NeutralSupport {
    private static final String PSI = "com.intellij.lang.javascript.psi.";

    @Override
    public Collection<PsiElement> supertypes(PsiElement type) throws HostException {
        return Reflection.elements(Reflection.call(PSI + "ecmal4.JSClass", type, "getSupers"));
    }

    @Override
    public boolean isCallable(PsiElement element) {
        return Reflection.is(element, PSI + "JSFunction");
    }
}
