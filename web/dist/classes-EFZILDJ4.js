import{a,b,c}from"./chunk-HHS5KBIC.js";import"./chunk-BEAXNWUX.js";import"./chunk-XSAP2RPD.js";import"./chunk-5XOGUIOE.js";c();export{a as ClassTabs,b as default};
