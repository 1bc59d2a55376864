package dev.ideindex.plugin.lang;

import com.intellij.openapi.progress.ProgressManager;
import com.intellij.psi.PsiAnonymousClass;
import com.intellij.psi.PsiCall;
import com.intellij.psi.PsiClass;
import com.intellij.psi.PsiClassInitializer;
import com.intellij.psi.PsiCodeBlock;
import com.intellij.psi.PsiDocCommentOwner;
import com.intellij.psi.PsiElement;
import com.intellij.psi.PsiEnumConstant;
import com.intellij.psi.PsiField;
import com.intellij.psi.PsiJavaCodeReferenceElement;
import com.intellij.psi.PsiJavaReference;
import com.intellij.psi.PsiJavaToken;
import com.intellij.psi.PsiLocalVariable;
import com.intellij.psi.PsiMember;
import com.intellij.psi.PsiMethod;
import com.intellij.psi.PsiMethodReferenceExpression;
import com.intellij.psi.PsiModifierListOwner;
import com.intellij.psi.PsiNewExpression;
import com.intellij.psi.PsiPackage;
import com.intellij.psi.PsiParameter;
import com.intellij.psi.PsiReference;
import com.intellij.psi.PsiSuperExpression;
import com.intellij.psi.PsiThisExpression;
import com.intellij.psi.PsiTypeParameter;
import com.intellij.psi.ResolveState;
import com.intellij.psi.javadoc.PsiDocComment;
import com.intellij.psi.scope.PsiScopeProcessor;
import com.intellij.psi.search.SearchScope;
import com.intellij.psi.search.searches.ClassInheritorsSearch;
import com.intellij.psi.search.searches.FunctionalExpressionSearch;
import com.intellij.psi.search.searches.MethodReferencesSearch;
import com.intellij.psi.search.searches.OverridingMethodsSearch;
import com.intellij.psi.util.PsiTreeUtil;
import com.intellij.util.Processor;
import dev.ideindex.plugin.spi.HostException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Java, as its plugin knows it. Loaded only where that plugin is. */
public final class JavaSupport extends NeutralSupport {
    private static final String OBJECT = "java.lang.Object";

    /** In {@code new A(1)} the constructor, when {@code A} declares one. */
    @Override
    public PsiElement meant(PsiReference reference, PsiElement leaf, PsiElement target) {
        if (target instanceof PsiClass && reference.getElement() instanceof PsiJavaCodeReferenceElement name) {
            PsiElement parent = name.getParent();
            if (parent instanceof PsiAnonymousClass) {
                parent = parent.getParent();
            }
            if (parent instanceof PsiNewExpression creation) {
                PsiMethod constructor = creation.resolveConstructor();
                return constructor != null ? constructor : target;
            }
        }
        return target;
    }

    /** {@code this} and {@code super} mean the class. */
    @Override
    public PsiElement atKeyword(PsiElement leaf) {
        PsiElement parent = leaf.getParent();
        if (parent instanceof PsiJavaCodeReferenceElement) {
            parent = parent.getParent();
        }
        if (parent instanceof PsiThisExpression || parent instanceof PsiSuperExpression) {
            PsiClass around = PsiTreeUtil.getParentOfType(parent, PsiClass.class);
            return around != null && parent instanceof PsiSuperExpression ? around.getSuperClass() : around;
        }
        return null;
    }

    @Override
    public boolean references(PsiElement target, SearchScope scope, Processor<? super PsiReference> found) throws HostException {
        if (target instanceof PsiMethod method) {
            return MethodReferencesSearch.search(method, scope, true)
                    .forEach(reference -> isAnother(reference, method) || found.process(reference));
        }
        return super.references(target, scope, found);
    }

    /** The search also finds calls of methods that override this one. */
    private static boolean isAnother(PsiReference reference, PsiMethod method) {
        PsiElement target = reference.resolve();
        return target instanceof PsiMethod && !method.getManager().areElementsEquivalent(target, method);
    }

    @Override
    public boolean implementations(PsiElement target, SearchScope scope, Processor<? super PsiElement> found)
            throws HostException {
        if (target instanceof PsiMethod method) {
            return OverridingMethodsSearch.search(method, scope, true).forEach(found::process)
                    && FunctionalExpressionSearch.search(method, scope).forEach(found::process);
        }
        if (target instanceof PsiClass type) {
            return ClassInheritorsSearch.search(type, scope, true).forEach(found::process)
                    && (!type.isInterface() || FunctionalExpressionSearch.search(type, scope).forEach(found::process));
        }
        return super.implementations(target, scope, found);
    }

    @Override
    public boolean subtypes(PsiElement type, SearchScope scope, Processor<? super PsiElement> found) throws HostException {
        return ClassInheritorsSearch.search(type(type), scope, false).forEach(found::process);
    }

    /** Without {@code Object}, which nobody writes down. */
    @Override
    public Collection<PsiElement> supertypes(PsiElement type) throws HostException {
        List<PsiElement> supertypes = new ArrayList<>();
        for (PsiClass parent : type(type).getSupers()) {
            if (!OBJECT.equals(parent.getQualifiedName())) {
                supertypes.add(parent);
            }
        }
        return supertypes;
    }

    @Override
    public Collection<PsiElement> superMethods(PsiElement method) throws HostException {
        if (method instanceof PsiMethod found) {
            return List.of(found.findSuperMethods());
        }
        throw new HostException(HostException.NO_SYMBOL, "no method stands there");
    }

    /** The class, or the class of a constructor: {@code new A()} asks about {@code A}. */
    private static PsiClass type(PsiElement element) throws HostException {
        if (element instanceof PsiClass type) {
            return type;
        }
        if (element instanceof PsiMethod method && method.isConstructor() && method.getContainingClass() != null) {
            return method.getContainingClass();
        }
        throw new HostException(HostException.NO_SYMBOL, "no type stands there");
    }

    @Override
    public boolean isCallable(PsiElement element) {
        return element instanceof PsiMethod;
    }

    @Override
    public boolean isCall(PsiReference reference) {
        PsiElement element = reference.getElement();
        PsiElement parent = element.getParent();
        return element instanceof PsiMethodReferenceExpression || element instanceof PsiEnumConstant || parent instanceof PsiCall
                || parent instanceof PsiAnonymousClass && parent.getParent() instanceof PsiNewExpression;
    }

    /** The member around the element; members of anonymous classes count as members. */
    @Override
    public PsiElement enclosing(PsiElement element) {
        PsiMember member = PsiTreeUtil.getParentOfType(element, PsiMember.class);
        while (member instanceof PsiTypeParameter || member instanceof PsiClassInitializer || member instanceof PsiAnonymousClass) {
            member = PsiTreeUtil.getParentOfType(member, PsiMember.class);
        }
        return member;
    }

    @Override
    public String documentation(PsiElement declaration, PsiElement original) {
        PsiElement shown = declaration.getNavigationElement();
        PsiDocComment comment = shown instanceof PsiDocCommentOwner owner ? owner.getDocComment() : null;
        return described(signature(shown, comment), comment == null ? null : Markdown.ofJavadoc(comment.getText()));
    }

    /** The declaration as it is written, without its comment and what follows the head. */
    private static String signature(PsiElement declaration, PsiElement comment) {
        String text = declaration.getText();
        if (text == null || !(declaration instanceof PsiModifierListOwner)) {
            return null;
        }
        int start = comment == null ? 0 : comment.getStartOffsetInParent() + comment.getTextLength();
        int end = text.length();
        for (PsiElement child = declaration.getFirstChild(); child != null; child = child.getNextSibling()) {
            boolean body = child instanceof PsiCodeBlock || child instanceof PsiJavaToken token
                    && (token.getText().equals("{") || token.getText().equals("="));
            if (body && child.getStartOffsetInParent() >= start) {
                end = Math.min(end, child.getStartOffsetInParent());
            }
        }
        return text.substring(start, end).strip().replaceAll("\\s*\\n\\s*", "\n").replaceAll(";$", "");
    }

    @Override
    public Object[] variants(PsiReference reference) {
        if (!(reference instanceof PsiJavaReference java)) {
            return super.variants(reference);
        }
        List<PsiElement> variants = new ArrayList<>();
        java.processVariants(new PsiScopeProcessor() {
            @Override
            public boolean execute(PsiElement element, ResolveState state) {
                ProgressManager.checkCanceled();
                variants.add(element);
                return true;
            }
        });
        return variants.toArray();
    }

    @Override
    public String kind(PsiElement declaration) {
        if (declaration instanceof PsiMethod method) {
            return method.isConstructor() ? "constructor" : "method";
        }
        if (declaration instanceof PsiTypeParameter) {
            return "type_parameter";
        }
        if (declaration instanceof PsiClass type) {
            return type.isAnnotationType() ? "annotation" : type.isInterface() ? "interface" : type.isEnum() ? "enum" : "class";
        }
        if (declaration instanceof PsiEnumConstant) {
            return "enum_member";
        }
        if (declaration instanceof PsiField) {
            return "field";
        }
        if (declaration instanceof PsiParameter) {
            return "parameter";
        }
        if (declaration instanceof PsiLocalVariable) {
            return "variable";
        }
        return declaration instanceof PsiPackage ? "package" : super.kind(declaration);
    }
}
