import{d as a,e as b,f as c}from"./chunk-U2GM7O6J.js";import"./chunk-VGUIWKHH.js";import"./chunk-UGLYBW6G.js";import"./chunk-VH63SMTT.js";c();export{a as default,b as enters};
