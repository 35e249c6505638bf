import{a,b,c}from"./chunk-BF3DOZRE.js";import"./chunk-VTR327EJ.js";c();export{b as default,a as tabs};
