package dev.ideindex.plugin.lang;

import com.intellij.psi.PsiElement;
import com.intellij.psi.search.SearchScope;
import com.intellij.util.Processor;
import com.intellij.util.Query;
import dev.ideindex.plugin.spi.HostException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Python, by the searches of its plugin. */
public final class PythonSupport extends NeutralSupport {
    private static final String PSI = "com.jetbrains.python.psi.";

    @Override
    public boolean subtypes(PsiElement type, SearchScope scope, Processor<? super PsiElement> found) throws HostException {
        return each(Reflection.call(PSI + "search.PyClassInheritorsSearch", null, "search", type, false), type, found);
    }

    @Override
    public Collection<PsiElement> supertypes(PsiElement type) throws HostException {
        return Reflection.elements(Reflection.call(PSI + "PyClass", type, "getSuperClasses", context(type)));
    }

    @Override
    public Collection<PsiElement> superMethods(PsiElement method) throws HostException {
        List<PsiElement> methods = new ArrayList<>();
        Object query = Reflection.call(PSI + "search.PySuperMethodsSearch", null, "search", method, context(method));
        each(query, method, methods::add);
        return methods;
    }

    private static Object context(PsiElement element) throws HostException {
        return Reflection.call(PSI + "types.TypeEvalContext", null, "userInitiated", element.getProject(),
                element.getContainingFile());
    }

    private static boolean each(Object query, PsiElement about, Processor<? super PsiElement> found) throws HostException {
        if (query instanceof Query<?> search) {
            return search.forEach(one -> !(one instanceof PsiElement element) || found.process(element));
        }
        throw unsupported("the hierarchy", about);
    }

    @Override
    public boolean isCallable(PsiElement element) {
        return Reflection.is(element, PSI + "PyFunction");
    }
}
