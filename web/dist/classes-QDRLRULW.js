import{a,b,c}from"./chunk-NQAUGUTY.js";import"./chunk-VPW4PLEH.js";import"./chunk-LS7S6DWY.js";import"./chunk-WXQVR26E.js";c();export{a as ClassTabs,b as default};
