import{d as a,e as b,f as c}from"./chunk-GKZ5NTOD.js";import"./chunk-ZYUR6JQR.js";import"./chunk-57VGFKGS.js";import"./chunk-3S6HH2FD.js";c();export{a as default,b as enters};
