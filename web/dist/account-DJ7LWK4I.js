import{a,b,c,d}from"./chunk-GFHEFJKD.js";import"./chunk-7D2FJZCV.js";import"./chunk-VF3N7OFG.js";import"./chunk-WRJ6R7OA.js";d();export{c as Security,a as default,b as identity};
