import{a,b,c}from"./chunk-BT6XK6JC.js";import"./chunk-VH63SMTT.js";c();export{a as default,b as useLate};
