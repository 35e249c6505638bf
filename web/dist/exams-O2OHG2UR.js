import{d as a,e as b,f as c}from"./chunk-6MHDUXOT.js";import"./chunk-C4RO4PF2.js";import"./chunk-JFTCF5YZ.js";import"./chunk-5XOGUIOE.js";c();export{a as default,b as enters};
