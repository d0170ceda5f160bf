"use strict";
(() => {
  const root = document.documentElement;
  const find = (id) => document.getElementById(id);
  const nav = find("sidebar"), menu = find("menu"), filter = find("filter"), none = find("none");
  root.classList.add("script");

  // A page that is opened from a file may have no storage: the choice then lasts as long as the page.
  const kept = (change) => { try { return change(localStorage); } catch { return null; } };
  const chosen = kept((s) => s.getItem("theme"));
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  find("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    kept((s) => s.setItem("theme", root.dataset.theme));
  });

  const open = (on) => {
    nav.classList.toggle("open", on);
    menu.setAttribute("aria-expanded", String(on));
  };
  menu.addEventListener("click", () => {
    open(!nav.classList.contains("open"));
    if (nav.classList.contains("open")) filter.focus();
  });
  nav.addEventListener("click", (e) => { if (e.target.closest("a")) open(false); });

  filter.addEventListener("input", () => {
    const wanted = filter.value.trim().toLowerCase().split(/\s+/);
    let any = false;
    for (const section of nav.querySelectorAll("section")) {
      let shown = 0;
      for (const item of section.querySelectorAll("li")) {
        const name = item.textContent.toLowerCase();
        item.hidden = !wanted.every((word) => name.includes(word));
        if (!item.hidden) shown++;
      }
      section.hidden = shown === 0;
      section.querySelector(".count").textContent = shown;
      any = any || shown > 0;
    }
    none.hidden = any;
  });
  filter.addEventListener("keydown", (e) => {
    if (e.key !== "Enter") return;
    const first = nav.querySelector("li:not([hidden]) a");
    if (first) first.click();
  });
  document.addEventListener("keydown", (e) => {
    if (e.key === "Escape") open(false);
    if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey || e.target.matches("input")) return;
    e.preventDefault();
    open(true);
    filter.focus();
  });

  for (const button of document.querySelectorAll(".copy")) {
    button.addEventListener("click", async () => {
      const text = button.closest("figure").querySelector("code");
      try {
        await navigator.clipboard.writeText(text.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(text);
        button.textContent = "Selected";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
  }

  // The entry that is being read is marked in the sidebar.
  const links = new Map();
  for (const link of nav.querySelectorAll("li a")) links.set(link.getAttribute("href").slice(1), link);
  let current = null;
  const watch = new IntersectionObserver((seen) => {
    for (const one of seen) {
      if (!one.isIntersecting) continue;
      if (current) current.removeAttribute("aria-current");
      current = links.get(one.target.id);
      if (!current) continue;
      current.setAttribute("aria-current", "true");
      if (getComputedStyle(nav).position === "sticky") {
        const top = current.offsetTop - nav.offsetTop;
        if (top < nav.scrollTop || top > nav.scrollTop + nav.clientHeight - 60) nav.scrollTop = top - nav.clientHeight / 2;
      }
    }
  }, { rootMargin: "-15% 0px -80% 0px" });
  for (const article of document.querySelectorAll("article")) watch.observe(article);
})();
