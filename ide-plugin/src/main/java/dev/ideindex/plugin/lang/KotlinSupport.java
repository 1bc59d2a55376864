package dev.ideindex.plugin.lang;

import com.intellij.psi.PsiElement;
import com.intellij.psi.search.SearchScope;
import com.intellij.util.Processor;
import dev.ideindex.plugin.spi.HostException;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Kotlin, by the Java view that its plugin has of every declaration: hierarchies are those of Java, and answers are shown where
 * they are written.
 */
public final class KotlinSupport extends NeutralSupport {
    private static final String PSI = "org.jetbrains.kotlin.psi.";
    private static final String LIGHT = "org.jetbrains.kotlin.asJava.LightClassUtilsKt";

    private final LanguageSupport java = new JavaSupport();

    @Override
    public boolean subtypes(PsiElement type, SearchScope scope, Processor<? super PsiElement> found) throws HostException {
        return java.subtypes(lightClass(type), scope, element -> found.process(written(element)));
    }

    @Override
    public Collection<PsiElement> supertypes(PsiElement type) throws HostException {
        Set<PsiElement> supertypes = new LinkedHashSet<>();
        for (PsiElement parent : java.supertypes(lightClass(type))) {
            supertypes.add(written(parent));
        }
        return supertypes;
    }

    @Override
    public Collection<PsiElement> superMethods(PsiElement method) throws HostException {
        Set<PsiElement> methods = new LinkedHashSet<>();
        for (PsiElement light : Reflection.elements(Reflection.call(LIGHT, null, "toLightMethods", method))) {
            for (PsiElement parent : java.superMethods(light)) {
                methods.add(written(parent));
            }
        }
        return methods;
    }

    private static PsiElement lightClass(PsiElement type) throws HostException {
        if (!Reflection.is(type, PSI + "KtClassOrObject")) {
            throw new HostException(HostException.NO_SYMBOL, "no type stands there");
        }
        if (Reflection.call(LIGHT, null, "toLightClass", type) instanceof PsiElement light) {
            return light;
        }
        throw unsupported("the hierarchy", type);
    }

    /** The declaration in the source of what is only a view of it. */
    private static PsiElement written(PsiElement view) {
        return view.getNavigationElement();
    }

    @Override
    public boolean isCallable(PsiElement element) {
        return Reflection.is(element, PSI + "KtFunction") || Reflection.is(element, PSI + "KtPropertyAccessor");
    }
}
