/** Tells what has failed: a screen reader says it at once. */
export const Failure = ({ text }: { readonly text: string }) => (
  <p class="message" role="alert">
    ✕ {text}
  </p>
);
