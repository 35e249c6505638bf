import{a,b,c}from"./chunk-64KZX7DV.js";import"./chunk-6CGKG7JS.js";import"./chunk-AC4XJXHC.js";import"./chunk-IDM4FZDS.js";import"./chunk-VTR327EJ.js";c();export{a as GuardianTabs,b as default};
