import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** A dialog that holds the focus until it closes; then the focus goes back to where it was. */
export function Dialog({
  label,
  onClose,
  children,
}: {
  readonly label: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const place = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = place.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={place}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      {children}
    </dialog>
  );
}
