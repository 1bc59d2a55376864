package dev.ideindex.plugin.lang;

import com.intellij.psi.PsiElement;
import com.intellij.psi.PsiReference;
import com.intellij.psi.search.SearchScope;
import com.intellij.util.Processor;
import dev.ideindex.plugin.spi.HostException;
import java.util.Collection;

/**
 * What the operations ask of a language. All of it only inside of a read.
 *
 * <p>Searches hand each element to the processor until it returns false, and return false then. A question that the plugin of
 * the language does not answer is an {@code unsupported} error, never an empty answer.
 */
public interface LanguageSupport {
    /** The declaration that a reader of the code means where a reference resolves to {@code target}. */
    PsiElement meant(PsiReference reference, PsiElement leaf, PsiElement target);

    /** The declaration that a keyword means, e.g. {@code this}; null for most. */
    PsiElement atKeyword(PsiElement leaf);

    /** Every use of exactly the target, and those of which it is not sure what they use. */
    boolean references(PsiElement target, SearchScope scope, Processor<? super PsiReference> found) throws HostException;

    /** Classes that implement or extend a type, methods that implement or override a method, at any distance. */
    boolean implementations(PsiElement target, SearchScope scope, Processor<? super PsiElement> found) throws HostException;

    /** Direct subtypes. */
    boolean subtypes(PsiElement type, SearchScope scope, Processor<? super PsiElement> found) throws HostException;

    /** Direct supertypes. */
    Collection<PsiElement> supertypes(PsiElement type) throws HostException;

    /** The methods that a method overrides or implements directly. */
    Collection<PsiElement> superMethods(PsiElement method) throws HostException;

    boolean isCallable(PsiElement element);

    /** Whether the reference calls what it refers to, rather than import or document it. */
    boolean isCall(PsiReference reference);

    /** The function, or else the declaration, in whose body the element stands; null at the top of a file. */
    PsiElement enclosing(PsiElement element);

    /** Signature and documentation of a declaration as Markdown; null when there is neither. */
    String documentation(PsiElement declaration, PsiElement original);

    /** Names that could stand in the place of a reference: elements, texts or items of a completion list. */
    Object[] variants(PsiReference reference);

    /** Kind of a declaration in lower case, e.g. {@code method}. */
    String kind(PsiElement declaration);
}
