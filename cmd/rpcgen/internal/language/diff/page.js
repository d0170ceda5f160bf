"use strict";
(() => {
  const root = document.documentElement;
  const find = (id) => document.getElementById(id);
  const nav = find("sidebar"), menu = find("menu"), filter = find("filter"), aspect = find("aspect"), verdict = find("verdict");
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
  menu.addEventListener("click", () => open(!nav.classList.contains("open")));
  nav.addEventListener("click", (e) => { if (e.target.closest("a")) open(false); });

  const articles = [...document.querySelectorAll("article")];
  const items = new Map([...nav.querySelectorAll("li")].map((item) => [item.dataset.for, item]));
  const like = (article) => {
    const wanted = filter.value.trim().toLowerCase().split(/\s+/);
    const text = article.dataset.search.toLowerCase();
    const verdicts = aspect.value ? [article.dataset[aspect.value]] : [article.dataset.wire, article.dataset.go, article.dataset.typescript, article.dataset.model];
    const rank = ["ok", "warning", "break"];
    const worst = rank[Math.max(...verdicts.map((v) => rank.indexOf(v)))];
    return wanted.every((word) => text.includes(word)) && (!verdict.value || worst === verdict.value) && (!aspect.value || worst !== undefined);
  };
  const show = () => {
    let shown = 0;
    for (const article of articles) {
      const on = like(article);
      article.hidden = !on;
      items.get(article.id).hidden = !on;
      if (on) shown++;
    }
    find("shown").textContent = shown;
    find("none").hidden = shown > 0;
  };
  for (const one of [filter, aspect, verdict]) one.addEventListener("input", show);
  document.querySelector(".filters").addEventListener("submit", (e) => e.preventDefault());
  if (articles.length > 0) show();
  document.addEventListener("keydown", (e) => {
    if (e.key === "Escape") open(false);
    if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey || e.target.matches("input, select")) return;
    e.preventDefault();
    filter.focus();
  });
})();
